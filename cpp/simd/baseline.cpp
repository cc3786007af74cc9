#include "simd/loops.h"
#include "simd/row_loops.h"
#include "simd/step_loops.h"
#include "simd/variable_loops.h"

namespace svm::simd {

struct Baseline {
  static constexpr int bytes = 16;
};
extern const Table baseline_table = make_table<Baseline>("baseline");
extern const RowTable baseline_rows = make_row_table<Baseline>();
extern const StepTable baseline_steps = make_step_table<Baseline>();
extern const VariableTable baseline_variables = make_variable_table<Baseline>();

}  // namespace svm::simd
