#include "simd/loops.h"

namespace svm::simd {

struct Baseline {
  static constexpr int bytes = 16;
};
extern const Table baseline_table = make_table<Baseline>("baseline");

}  // namespace svm::simd
