#include <algorithm>
#include <numeric>
#include <vector>

#include "calibration/coupling.h"
#include "calibration/sigmoid.h"
#include "calibration/softmax.h"
#include "calibration/venn_abers.h"
#include "fuzz/harness.h"

namespace {

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void sigmoid(fuzz::Bytes& bytes) {
  const int64_t n = bytes.between(0, 16);
  const auto score = bytes.numbers(n), weight = bytes.sizes(n);
  std::vector<double> sign(n);
  for (double& y : sign) y = bytes.flag() ? 1 : -1;
  const svm::Sigmoid found = svm::fit_sigmoid(score, sign, weight);
  if (bytes.wild_mode() || n == 0) return;
  REQUIRE(std::isfinite(found.slope) && std::isfinite(found.offset) && found.slope <= 0);
  for (const double f : score) REQUIRE(found(f) >= 0 && found(f) <= 1);
}

void couple(fuzz::Bytes& bytes) {
  const int64_t classes = bytes.between(2, 6);
  svm::Coupling coupling(classes);
  std::vector<double> pairs(classes * (classes - 1) / 2), out(classes);
  for (double& r : pairs) r = bytes.byte() / 255.0;
  coupling(pairs, out.data());
  REQUIRE(std::abs(std::accumulate(out.begin(), out.end(), 0.0) - 1) < 1e-9);
  for (const double p : out) REQUIRE(p >= 0 && p <= 1 + 1e-9);
}

void softmax(fuzz::Bytes& bytes) {
  const int64_t n = bytes.between(0, 12), classes = bytes.between(2, 5);
  const auto outputs = bytes.numbers(n * classes), weight = bytes.sizes(n);
  const auto code = bytes.places(n, classes);
  const svm::Softmax found = svm::fit_softmax(outputs, code, weight, classes);
  REQUIRE(found.classes() == classes);
  if (bytes.wild_mode()) return;
  REQUIRE(finite(found.slope) && finite(found.offset));
  std::vector<double> out(classes);
  for (int64_t i = 0; i < n; ++i) {
    found(&outputs[i * classes], out.data());
    REQUIRE(std::abs(std::accumulate(out.begin(), out.end(), 0.0) - 1) < 1e-9);
  }
}

void venn_abers(fuzz::Bytes& bytes) {
  const int64_t m = bytes.between(0, 16);
  std::vector<double> all{0}, positive{0};
  for (int64_t j = 0; j < m; ++j) {
    const double weight = bytes.size(), share = bytes.byte() / 255.0;
    all.push_back(all.back() + weight), positive.push_back(positive.back() + share * weight);
  }
  const svm::VennAbers found = svm::venn_abers(all, positive);
  REQUIRE(std::ssize(found.low) == 2 * m + 1 && std::ssize(found.high) == 2 * m + 1);
  if (bytes.wild_mode()) return;
  for (int64_t k = 0; k <= 2 * m; ++k) {
    REQUIRE(found.low[k] >= -1e-12 && found.low[k] <= found.high[k] + 1e-12);
    REQUIRE(found.high[k] <= 1 + 1e-12);
  }
}

}  // namespace

HARNESS(calibration) {
  bytes.wild_numbers();
  bytes.one_of<void (*)(fuzz::Bytes&)>({sigmoid, couple, softmax, venn_abers})(bytes);
}
