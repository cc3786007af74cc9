#include "simd/table.h"

#include "simd/rows.h"
#include "simd/steps.h"
#include "simd/variables.h"
#ifdef MAXMARGIN_X86
#include "simd/processor.h"
#endif

namespace svm::simd {

#if defined(MAXMARGIN_X86)
extern const Table baseline_table, avx2_table, avx512_table;
extern const RowTable baseline_rows, avx2_rows, avx512_rows;
extern const StepTable baseline_steps, avx2_steps, avx512_steps;
extern const VariableTable baseline_variables, avx2_variables, avx512_variables;
#elif defined(MAXMARGIN_ARM)
extern const Table neon_table;
extern const RowTable neon_rows;
extern const StepTable neon_steps;
extern const VariableTable neon_variables;
#else
extern const Table baseline_table;
extern const RowTable baseline_rows;
extern const StepTable baseline_steps;
extern const VariableTable baseline_variables;
#endif

namespace {

// Narrowest first; the same machines run all kinds of tables.
#if defined(MAXMARGIN_X86)
const Table* const tables[] = {&baseline_table, &avx2_table, &avx512_table};
const RowTable* const row_tables[] = {&baseline_rows, &avx2_rows, &avx512_rows};
const StepTable* const step_tables[] = {&baseline_steps, &avx2_steps, &avx512_steps};
const VariableTable* const variable_tables[] = {&baseline_variables, &avx2_variables,
                                                &avx512_variables};

int usable() {
  static const Processor found = processor();
  return found.avx512 ? 3 : found.avx2 ? 2 : 1;
}
#elif defined(MAXMARGIN_ARM)
const Table* const tables[] = {&neon_table};
const RowTable* const row_tables[] = {&neon_rows};
const StepTable* const step_tables[] = {&neon_steps};
const VariableTable* const variable_tables[] = {&neon_variables};

int usable() { return 1; }
#else
const Table* const tables[] = {&baseline_table};
const RowTable* const row_tables[] = {&baseline_rows};
const StepTable* const step_tables[] = {&baseline_steps};
const VariableTable* const variable_tables[] = {&baseline_variables};

int usable() { return 1; }
#endif

template <class T>
int list(const T* const* from, const T* out[3]) {
  for (int k = 0; k < usable(); ++k) out[k] = from[k];
  return usable();
}

}  // namespace

int available(const Table* out[3]) { return list(tables, out); }
int available(const RowTable* out[3]) { return list(row_tables, out); }
int available(const StepTable* out[3]) { return list(step_tables, out); }
int available(const VariableTable* out[3]) { return list(variable_tables, out); }

const Table& table() {
  static const Table& chosen = *tables[usable() - 1];
  return chosen;
}
const RowTable& row_table() {
  static const RowTable& chosen = *row_tables[usable() - 1];
  return chosen;
}
const StepTable& step_table() {
  static const StepTable& chosen = *step_tables[usable() - 1];
  return chosen;
}
const VariableTable& variable_table() {
  static const VariableTable& chosen = *variable_tables[usable() - 1];
  return chosen;
}

}  // namespace svm::simd
