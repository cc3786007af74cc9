#include "simd/table.h"

namespace svm::simd {

extern const Table baseline_table;
#ifdef MAXMARGIN_X86
extern const Table avx2_table;
extern const Table avx512_table;
#endif

int available(const Table* out[3]) {
  int count = 0;
  out[count++] = &baseline_table;
#ifdef MAXMARGIN_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[count++] = &avx2_table;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    out[count++] = &avx512_table;
  }
#endif
  return count;
}

const Table& table() {
  static const Table* const chosen = [] {
    const Table* tables[3];
    return tables[available(tables) - 1];
  }();
  return *chosen;
}

}  // namespace svm::simd
