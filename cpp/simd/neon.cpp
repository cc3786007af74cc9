#include "simd/loops.h"
#include "simd/row_loops.h"
#include "simd/step_loops.h"
#include "simd/variable_loops.h"

namespace svm::simd {

// Every 64-bit ARM has it, fused multiply-adds included.
struct Neon {
  static constexpr int bytes = 16;
};
extern const Table neon_table = make_table<Neon>("neon");
extern const RowTable neon_rows = make_row_table<Neon>();
extern const StepTable neon_steps = make_step_table<Neon>();
extern const VariableTable neon_variables = make_variable_table<Neon>();

}  // namespace svm::simd
