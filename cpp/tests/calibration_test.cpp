#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "calibration/coupling.h"
#include "calibration/sigmoid.h"
#include "calibration/softmax.h"
#include "calibration/venn_abers.h"
#include "tests/check.h"

namespace {

// The loss that a sigmoid minimises, written out.
double loss(const svm::Sigmoid& at, const std::vector<double>& f, const std::vector<double>& y,
            const std::vector<double>& w) {
  double positive = 0, negative = 0, sum = 0;
  for (size_t i = 0; i < f.size(); ++i) (y[i] > 0 ? positive : negative) += w[i];
  for (size_t i = 0; i < f.size(); ++i) {
    const double t = y[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    sum -= w[i] * (t * std::log(at(f[i])) + (1 - t) * std::log(1 - at(f[i])));
  }
  return sum;
}

// Isotonic regression by its formula: the value at a place is the largest over all beginnings of the
// least over all ends of the mean in between.
double isotonic(const std::vector<double>& y, const std::vector<double>& w, size_t place) {
  double best = -1;
  for (size_t a = 0; a <= place; ++a) {
    double least = 2, sum = 0, weight = 0;
    for (size_t b = a; b < y.size(); ++b) {
      sum += w[b] * y[b];
      weight += w[b];
      if (b >= place) least = std::min(least, sum / weight);
    }
    best = std::max(best, least);
  }
  return best;
}

}  // namespace

TEST(a_sigmoid_is_a_minimum) {
  std::vector<double> f, y, w;
  for (int i = 0; i < 60; ++i) {
    f.push_back(std::sin(7.0 * i) * 3);
    y.push_back(f[i] + std::sin(11.0 * i) > 0.4 ? 1 : -1);
    w.push_back(1 + i % 3);
  }
  const svm::Sigmoid found = svm::fit_sigmoid(f, y, w);
  const double value = loss(found, f, y, w);
  CHECK(found.slope < 0);
  for (const double a : {-1e-4, 1e-4}) {
    for (const double b : {-1e-4, 1e-4}) {
      CHECK(loss({found.slope + a, found.offset + b}, f, y, w) > value);
    }
  }
}

TEST(scores_that_separate_or_say_nothing_have_a_finite_sigmoid) {
  const std::vector<double> y{-1, -1, 1, 1, 1}, w(5, 1.0);
  const svm::Sigmoid apart = svm::fit_sigmoid(std::vector<double>{-2, -1, 1, 2, 3}, y, w);
  CHECK(std::isfinite(apart.slope) && apart.slope < 0);
  CHECK(apart(1e308) <= 1 && apart(-1e308) >= 0);
  for (const std::vector<double>& f : {std::vector<double>(5, 1.0), {2, 1, -1, -2, -3}}) {
    const svm::Sigmoid prior = svm::fit_sigmoid(f, y, w);
    CHECK(prior.slope <= 0);
    CHECK(std::abs(prior(1.0) - 4.0 / 7) < 1e-6 || prior.slope < 0);
    CHECK(std::isfinite(prior.offset));
  }
}

TEST(coupling_finds_probabilities_that_agree_with_all_pairs) {
  const std::vector<double> p{0.5, 0.2, 0.2, 0.1};
  std::vector<double> pairs;
  for (size_t s = 0; s < 4; ++s) {
    for (size_t t = s + 1; t < 4; ++t) pairs.push_back(p[s] / (p[s] + p[t]));
  }
  std::vector<double> out(4);
  svm::Coupling coupling(4);
  coupling(pairs, out.data());
  for (size_t s = 0; s < 4; ++s) CHECK(std::abs(out[s] - p[s]) < 1e-12);
  // Pairs that contradict each other, and certain ones.
  for (const double r : {0.0, 0.3, 1.0}) {
    const std::vector<double> odd{r, 1 - r, r, 0.5, r, 1.0};
    coupling(odd, out.data());
    CHECK(std::abs(std::accumulate(out.begin(), out.end(), 0.0) - 1) < 1e-12);
    CHECK(*std::min_element(out.begin(), out.end()) >= 0);
  }
}

TEST(a_softmax_of_two_classes_is_a_sigmoid_of_their_difference) {
  std::vector<double> outputs, w;
  std::vector<int64_t> code;
  for (int i = 0; i < 80; ++i) {
    outputs.push_back(std::sin(3.0 * i));
    outputs.push_back(std::cos(5.0 * i));
    outputs.push_back(std::sin(2.0 * i + 1));
    const auto first = outputs.end() - 3;
    code.push_back(i % 5 == 0 ? i % 3 : std::max_element(first, outputs.end()) - first);
    w.push_back(1);
  }
  const svm::Softmax found = svm::fit_softmax(outputs, code, w, 3);
  std::vector<double> p(3);
  double right = 0;
  for (int i = 0; i < 80; ++i) {
    found(&outputs[3 * i], p.data());
    CHECK(std::abs(p[0] + p[1] + p[2] - 1) < 1e-12);
    right += p[code[i]] / 80;
  }
  CHECK(right > 0.5);
  for (const double slope : found.slope) CHECK(slope >= 0);
}

TEST(venn_abers_is_isotonic_regression_with_one_more_row) {
  const std::vector<double> y{0, 0, 1, 0, 1, 0, 0, 1, 1, 1}, w{1, 2, 1, 1, 3, 1, 1, 1, 2, 1};
  std::vector<double> all{0}, positive{0};
  for (size_t i = 0; i < y.size(); ++i) {
    all.push_back(all[i] + w[i]);
    positive.push_back(positive[i] + w[i] * y[i]);
  }
  const svm::VennAbers found = svm::venn_abers(all, positive);
  CHECK(found.low.size() == 2 * y.size() + 1);
  for (size_t place = 0; place < found.low.size(); ++place) {
    for (const double label : {0.0, 1.0}) {
      std::vector<double> values = y, weights = w;
      const size_t j = place / 2;
      if (place % 2 == 0) {
        values.insert(values.begin() + j, label);
        weights.insert(weights.begin() + j, 1.0);
      } else {
        values[j] = (y[j] * w[j] + label) / (w[j] + 1);
        weights[j] += 1;
      }
      const double value = label > 0 ? found.high[place] : found.low[place];
      CHECK(std::abs(value - isotonic(values, weights, j)) < 1e-12);
    }
  }
}
