#include "simd/loops.h"

namespace svm::simd {

struct Avx512 {
  static constexpr int bytes = 64;
};
extern const Table avx512_table = make_table<Avx512>("avx512");

}  // namespace svm::simd
