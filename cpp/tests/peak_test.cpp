#include "run/peak.h"

#include <cmath>

#include "tests/check.h"

TEST(the_peak_is_finite_and_more_than_nothing) {
  const svm::Peak peak = svm::measure_peak(2);
  for (const double value : {peak.flops, peak.bandwidth, peak.pair_step}) {
    CHECK(std::isfinite(value) && value > 0);
  }
}
