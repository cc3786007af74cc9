#include "simd/steps.h"

#include "simd/table.h"

namespace svm::simd {

extern const StepTable baseline_steps;
#ifdef MAXMARGIN_X86
extern const StepTable avx2_steps;
extern const StepTable avx512_steps;
#endif

int available(const StepTable* out[3]) {
  out[0] = &baseline_steps;
#ifdef MAXMARGIN_X86
  out[1] = &avx2_steps;
  out[2] = &avx512_steps;
#endif
  // The same machines run all kinds of tables.
  const Table* tables[3];
  return available(tables);
}

const StepTable& step_table() {
  static const StepTable* const chosen = [] {
    const StepTable* tables[3];
    return tables[available(tables) - 1];
  }();
  return *chosen;
}

}  // namespace svm::simd
