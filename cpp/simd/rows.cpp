#include "simd/rows.h"

#include "simd/table.h"

namespace svm::simd {

extern const RowTable baseline_rows;
#ifdef MAXMARGIN_X86
extern const RowTable avx2_rows;
extern const RowTable avx512_rows;
#endif

int available(const RowTable* out[3]) {
  out[0] = &baseline_rows;
#ifdef MAXMARGIN_X86
  out[1] = &avx2_rows;
  out[2] = &avx512_rows;
#endif
  // The same machines run both kinds of tables.
  const Table* tables[3];
  return available(tables);
}

const RowTable& row_table() {
  static const RowTable* const chosen = [] {
    const RowTable* tables[3];
    return tables[available(tables) - 1];
  }();
  return *chosen;
}

}  // namespace svm::simd
