#include "simd/loops.h"
#include "simd/row_loops.h"
#include "simd/step_loops.h"
#include "simd/variable_loops.h"

namespace svm::simd {

struct Avx512 {
  static constexpr int bytes = 64;
};
extern const Table avx512_table = make_table<Avx512>("avx512");
extern const RowTable avx512_rows = make_row_table<Avx512>();
extern const StepTable avx512_steps = make_step_table<Avx512>();
extern const VariableTable avx512_variables = make_variable_table<Avx512>();

}  // namespace svm::simd
