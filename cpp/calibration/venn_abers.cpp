#include "calibration/venn_abers.h"

#include <cstdint>

namespace svm {
namespace {

constexpr int64_t kNone = -1;

// Isotonic regression is the slope of the greatest convex curve below the points (all_j,
// positive_j). With a new row of class y between the points `before` and `after`, its value is the
// slope of the edge that crosses the new row, which is 1 to the right and y up: the line that lies
// below all points on either side.
class Diagram {
 public:
  Diagram(std::span<const double> all, std::span<const double> positive)
      : all_(all), positive_(positive), left_(all.size(), kNone), right_(all.size(), kNone) {
    const int64_t n = static_cast<int64_t>(all.size());
    for (int64_t j = 1; j < n; ++j) {
      int64_t a = j - 1;
      while (left_[a] != kNone && slope(left_[a], a) >= slope(a, j)) a = left_[a];
      left_[j] = a;
    }
    for (int64_t j = n - 2; j >= 0; --j) {
      int64_t b = j + 1;
      while (right_[b] != kNone && slope(b, right_[b]) <= slope(j, b)) b = right_[b];
      right_[j] = b;
    }
  }

  double crossing(int64_t before, int64_t after, double y) const {
    const auto across = [&](int64_t a, int64_t b) {
      return (positive_[b] - positive_[a] + y) / (all_[b] - all_[a] + 1);
    };
    int64_t a = before, b = after;
    for (bool moved = true; moved;) {
      moved = false;
      for (; right_[b] != kNone && across(a, right_[b]) < across(a, b); b = right_[b]) moved = true;
      for (; left_[a] != kNone && across(left_[a], b) > across(a, b); a = left_[a]) moved = true;
    }
    return across(a, b);
  }

 private:
  double slope(int64_t a, int64_t b) const {
    return (positive_[b] - positive_[a]) / (all_[b] - all_[a]);
  }

  std::span<const double> all_, positive_;
  // The corner before the last of the lower hull of all points up to j, and after the first of
  // that from j on.
  std::vector<int64_t> left_, right_;
};

}  // namespace

VennAbers venn_abers(std::span<const double> all, std::span<const double> positive) {
  const Diagram diagram(all, positive);
  const int64_t places = 2 * static_cast<int64_t>(all.size()) - 1;
  VennAbers found;
  for (int64_t place = 0; place < places; ++place) {
    const int64_t before = place / 2, after = (place + 1) / 2;
    found.low.push_back(diagram.crossing(before, after, 0));
    found.high.push_back(diagram.crossing(before, after, 1));
  }
  return found;
}

}  // namespace svm
