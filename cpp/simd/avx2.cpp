#include "simd/loops.h"
#include "simd/row_loops.h"
#include "simd/step_loops.h"
#include "simd/variable_loops.h"

namespace svm::simd {

struct Avx2 {
  static constexpr int bytes = 32;
};
extern const Table avx2_table = make_table<Avx2>("avx2");
extern const RowTable avx2_rows = make_row_table<Avx2>();
extern const StepTable avx2_steps = make_step_table<Avx2>();
extern const VariableTable avx2_variables = make_variable_table<Avx2>();

}  // namespace svm::simd
