#include "selection/path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dual/active_set.h"
#include "dual/certificate.h"
#include "dual/newton.h"

namespace svm {
namespace {

// Steps go half-way below the tolerance, so that the certificate's own error has room.
constexpr double kBelow = 0.5;
// Problems of at most this many rows have the whole matrix as their working set.
constexpr int64_t kWhole = 512;
// Their steps are quick and their systems small: these must be so many times as cheap.
constexpr double kWholePrice = 4;
// Others have sets of the free variables and a quarter more.
constexpr int64_t kSmallestSet = 128, kLargestSet = 1024;
// Newton steps at a time, and how many variables besides the free ones they may move.
constexpr int64_t kNewtonSteps = 4;
constexpr size_t kMoreShare = 8, kMore = 16;
// These are at most this many violations from being called away from their bound.
constexpr double kReach = 100;
// Systems of more variables take longer than the descent that they are to end.
constexpr size_t kLargestSystem = 3072;
// What a pair step may not take: a thousand for each variable.
constexpr int64_t kStepsEach = 1000;
// Rounds of descent and certificate until the engine of dual/ takes over.
constexpr int kRounds = 12;
// The low part of the matrix is left out where that changes the gradient by less than this share of
// the tolerance.
constexpr double kNegligible = 0x1p-5;
// What the high part of an entry may be off by, as a share of it.
constexpr double kHighRounding = 0x1p-24;

}  // namespace

void Path::Block::block(std::span<const int64_t> which, float* out) {
  std::vector<int64_t> columns(which.size());
  for (size_t k = 0; k < which.size(); ++k) columns[k] = places_.each[which[k]];
  for (const int64_t i : columns) {
    const float* row = K_.high(i);
    for (const int64_t j : columns) *out++ = row[j];
  }
}

bool Path::Block::renew(std::span<const int64_t> which, std::span<const int64_t> places,
                        float* out) {
  const size_t q = which.size();
  for (const int64_t place : places) {
    const float* row = K_.high(places_.each[which[place]]);
    for (size_t c = 0; c < q; ++c) out[place * q + c] = row[places_.each[which[c]]];
  }
  for (size_t r = 0; r < q; ++r) {
    for (const int64_t place : places) out[r * q + place] = out[place * q + r];
  }
  return true;
}

bool Path::Block::accumulate(std::span<const int64_t> which, std::span<const double> step,
                             double* f) {
  std::vector<int64_t> rows(which.size());
  for (size_t k = 0; k < which.size(); ++k) rows[k] = places_.each[which[k]];
  K_.add(SplitMatrix::Part::high, rows, step, places_, f);
  additions += std::ssize(rows);
  added += norm1(step);
  return true;
}

Path::Path(const SplitMatrix& K, const PathProblem& problem, const EntryBounds& bounds, double tol,
           Rescue rescue, Monitor& monitor)
    : K_(K),
      problem_(problem),
      bounds_(bounds),
      tol_(tol),
      rescue_(std::move(rescue)),
      monitor_(monitor),
      block_(K, problem.places),
      descent_(block_),
      budget_{.monitor = monitor},
      lower_(size()),
      upper_(size()),
      beta_(size(), 0.0),
      f_(size()),
      known_(size(), 0.0) {
  for (int64_t i = 0; i < size(); ++i) f_[i] = -problem.target[i];
  if (size() > kWhole) return;
  whole_.resize(size());
  float* out = whole_.data();
  for (const int64_t place : problem.places.each) {
    for (const auto& [begin, end] : problem.places.runs) {
      out = std::copy(K.high(place) + begin, K.high(place) + end, out);
    }
  }
}

double Path::violation() const { return extremes(box(), beta_.data(), f_.data()).violation(); }

int64_t Path::count_free() const { return levels(box(), beta_.data(), f_.data()).all_free(); }

bool Path::solve(double C) {
  const bool first = C_ == 0;
  rescale(C);
  if (settled_) return true;
  first ? begin() : pull_back();
  budget_.limit = budget_.steps + kStepsEach * size();
  bool good = false;
  for (int round = 0; round < kRounds && !good; ++round) {
    size() <= kWhole ? descend_whole(kBelow * tol_) : descend(kBelow * tol_);
    if (monitor_.stop()) return false;
    good = certify();
    if (!good && !newton(kBelow * tol_) && round > 1) break;
  }
  if (!good) {
    Solution found = rescue_(stated(), beta_);
    if (monitor_.stop()) return false;
    beta_ = known_ = std::move(found.beta);
    f_ = std::move(found.gradient);
    certificate_ = found.certificate;
    block_.additions = size(), block_.added = norm1(beta_);
  }
  settled_ = true;
  for (int64_t i = 0; i < size() && settled_; ++i) {
    settled_ = beta_[i] == 0 || (beta_[i] > lower_[i] && beta_[i] < upper_[i]);
  }
  return true;
}

void Path::rescale(double C) {
  const double s = settled_ || C_ == 0 ? 1 : C / C_;
  for (int64_t i = 0; i < size(); ++i) {
    const bool low = beta_[i] == lower_[i], high = beta_[i] == upper_[i];
    lower_[i] = C * problem_.lower[i], upper_[i] = C * problem_.upper[i];
    if (s == 1) continue;
    if (beta_[i] != 0) beta_[i] = low ? lower_[i] : high ? upper_[i] : s * beta_[i];
    known_[i] *= s;
    f_[i] = s * (f_[i] + problem_.target[i]) - problem_.target[i];
  }
  block_.added *= s;
  C_ = C;
}

void Path::begin() {
  Sides both = sides();
  const double sum = std::min(both.sums[0], both.sums[1]);
  if (sum == 0) return;
  const std::vector<double> even = even_gradient(both, sum);
  for (const int up : {0, 1}) {
    std::sort(both.variables[up].begin(), both.variables[up].end(), [&](int64_t i, int64_t j) {
      return even[i] != even[j] ? (even[i] < even[j]) == (up == 1) : i < j;
    });
    double left = sum;
    for (const int64_t i : both.variables[up]) {
      const double part = std::min(left, up ? upper_[i] : -lower_[i]);
      beta_[i] = up ? part : -part;
      left -= part;
    }
  }
  // With sides that are equal it is that point.
  if (both.sums[0] == both.sums[1] && !problem_.groups.empty()) {
    f_ = even;
    known_ = beta_;
    block_.additions = std::ssize(problem_.groups) + size(), block_.added = norm1(beta_);
  } else {
    add_support();
  }
  // Beyond the lowest point on the way from zero it is better to begin there.
  double slope = 0;
  for (int64_t i = 0; i < size(); ++i) {
    slope += beta_[i] * f_[i] + problem_.epsilon * std::abs(beta_[i]);
  }
  if (slope <= 0) return;
  std::fill(beta_.begin(), beta_.end(), 0.0);
  add_support();
}

// By the sign that a variable can have, or else by that of its target about the median.
Path::Sides Path::sides() const {
  std::vector<double> sorted = problem_.target;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  Sides found;
  for (int64_t i = 0; i < size(); ++i) {
    const double residual = problem_.target[i] - *middle;
    const bool both = lower_[i] < 0 && upper_[i] > 0;
    if (both && std::abs(residual) <= problem_.epsilon) continue;
    const bool up = both ? residual > 0 : upper_[i] > 0;
    found.variables[up].push_back(i);
    found.sums[up] += up ? upper_[i] : -lower_[i];
  }
  return found;
}

std::vector<double> Path::even_gradient(const Sides& sides, double sum) const {
  std::vector<double> even(size());
  if (problem_.groups.empty()) {  // there are no sums: the targets must do
    for (int64_t i = 0; i < size(); ++i) even[i] = -problem_.target[i];
    return even;
  }
  std::vector<double> weight;  // of the rows of each group
  int64_t variable = 0;
  for (const int64_t group : problem_.groups) {
    const bool up = upper_[variable] > 0;
    weight.push_back((up ? upper_ : lower_)[variable] * sum / sides.sums[up]);
    variable += K_.group_size(group);
  }
  for (int64_t i = 0; i < size(); ++i) {
    const std::span<const double> sums = K_.sums(problem_.places.each[i]);
    even[i] = -problem_.target[i];
    for (size_t g = 0; g < weight.size(); ++g) even[i] += weight[g] * sums[problem_.groups[g]];
  }
  return even;
}

void Path::pull_back() {
  const Box b = box();
  std::vector<int64_t> free;
  double above = 0, below = 0;  // sums of the free variables of each sign
  for (int64_t i = 0; i < size(); ++i) {
    if (!b.free(i, beta_[i])) continue;
    free.push_back(i);
    (beta_[i] > 0 ? above : below) += std::abs(beta_[i]);
  }
  if (above == 0 || below == 0) return;
  std::vector<double> v(free.size()), product(size(), 0.0);
  double slope = 0, curvature = 0, most = std::min(above, below);
  for (size_t k = 0; k < free.size(); ++k) {
    const double x = beta_[free[k]];
    v[k] = -x / (x > 0 ? above : below);
    slope += v[k] * (f_[free[k]] + std::copysign(problem_.epsilon, x));
  }
  if (!(slope < 0)) return;
  block_.accumulate(free, v, product.data());
  for (size_t k = 0; k < free.size(); ++k) curvature += v[k] * product[free[k]];
  if (!(curvature > 0)) return;
  const double length = std::min(-slope / curvature, 0.999 * most);
  for (size_t k = 0; k < free.size(); ++k) beta_[free[k]] += length * v[k];
  for (int64_t i = 0; i < size(); ++i) f_[i] += length * product[i];
}

void Path::descend(double tol) {
  int64_t paid = budget_.touched;
  const auto set_size = [&](int64_t, int64_t free) {
    return std::min(size(), std::clamp(free * 5 / 4, kSmallestSet, kLargestSet));
  };
  for (bool ready = true; ready && !budget_.over();) {
    ready = false;
    descent_.run(box(), beta_.data(), f_.data(), set_size, tol, budget_, [&](const Levels& now) {
      const double spent = static_cast<double>(budget_.touched - paid);
      ready = spent > newton_price(size(), now.all_free(), 1);
      return !ready;
    });
    if (ready) newton(tol);
    paid = budget_.touched;
  }
}

void Path::descend_whole(double tol) {
  std::vector<double> before(size());
  int64_t paid = budget_.touched;
  while (!budget_.over() && violation() > tol) {
    const double spent = static_cast<double>(budget_.touched - paid);
    if (spent > kWholePrice * newton_price(size(), count_free(), 1)) {
      newton(tol);
      paid = budget_.touched;
      if (violation() <= tol) return;
    }
    before = beta_;
    take_pair_steps(whole_, box(), beta_.data(), f_.data(), tol, budget_);
    std::vector<int64_t> moved;
    std::vector<double> step;
    for (int64_t i = 0; i < size(); ++i) {
      if (beta_[i] == before[i]) continue;
      moved.push_back(i);
      step.push_back(beta_[i] - before[i]);
    }
    if (moved.empty()) return;
    whole_.accumulate(moved, step, f_.data());
    block_.additions += std::ssize(moved), block_.added += norm1(step);
  }
}

std::vector<int64_t> Path::nearest() const {
  const Box b = box();
  const auto level = intercepts(b, beta_.data(), f_.data());
  const double reach = kReach * violation();
  std::vector<std::pair<double, int64_t>> near;
  std::vector<int64_t> set;
  for (int64_t i = 0; i < size(); ++i) {
    const double x = beta_[i], shifted = f_[i] + level[0];
    if (b.free(i, x)) {
      set.push_back(i);
      continue;
    }
    const double distance = std::min(shifted + b.up_offset(i, x), -shifted - b.down_offset(i, x));
    if (distance <= reach) near.emplace_back(distance, i);
  }
  const size_t more = std::min(near.size(), set.size() / kMoreShare + kMore);
  std::partial_sort(near.begin(), near.begin() + static_cast<int64_t>(more), near.end());
  for (size_t k = 0; k < more; ++k) set.push_back(near[k].second);
  std::sort(set.begin(), set.end());
  return set;
}

bool Path::newton(double target) {
  const std::vector<int64_t> set = nearest();
  const size_t q = set.size();
  if (q < 2 || q > kLargestSystem) return false;
  StoredMatrix<double> matrix(static_cast<int64_t>(q));
  std::vector<double> lower(q), upper(q), x(q), f(q), constant(q);
  for (size_t r = 0; r < q; ++r) {
    const int64_t i = problem_.places.each[set[r]];
    for (size_t c = 0; c < q; ++c) {
      matrix.data()[r * q + c] = K_.entry(i, problem_.places.each[set[c]]);
    }
    lower[r] = lower_[set[r]], upper[r] = upper_[set[r]];
    x[r] = beta_[set[r]], f[r] = f_[set[r]];
  }
  for (size_t r = 0; r < q; ++r) {
    constant[r] = f[r] - simd::table().f64.dot(matrix.row(static_cast<int64_t>(r)), x.data(),
                                               static_cast<int64_t>(q));
  }
  const Box inner{lower, upper, problem_.epsilon, {}};
  Newton steps(matrix, inner, std::move(constant), {}, {1, monitor_});
  steps.run(x.data(), f.data(), target, kNewtonSteps);
  std::vector<int64_t> moved;
  std::vector<double> step;
  for (size_t k = 0; k < q; ++k) {
    if (x[k] == beta_[set[k]]) continue;
    moved.push_back(set[k]);
    step.push_back(x[k] - beta_[set[k]]);
    beta_[set[k]] = x[k];
  }
  block_.accumulate(moved, step, f_.data());
  return !moved.empty();
}

void Path::correct() {
  std::vector<int64_t> rows;
  std::vector<double> step;
  for (int64_t i = 0; i < size(); ++i) {
    if (beta_[i] == known_[i]) continue;
    rows.push_back(problem_.places.each[i]);
    step.push_back(beta_[i] - known_[i]);
  }
  K_.add(SplitMatrix::Part::low, rows, step, problem_.places, f_.data());
  block_.additions += std::ssize(rows);
  known_ = beta_;
}

void Path::renew() {
  add_support();
  correct();
}

void Path::add_support() {
  for (int64_t i = 0; i < size(); ++i) f_[i] = -problem_.target[i];
  block_.additions = 0, block_.added = 0;
  std::vector<int64_t> support;
  std::vector<double> weight;
  for (int64_t i = 0; i < size(); ++i) {
    if (beta_[i] == 0) continue;
    support.push_back(i);
    weight.push_back(beta_[i]);
  }
  block_.accumulate(support, weight, f_.data());
  std::fill(known_.begin(), known_.end(), 0.0);
}

bool Path::certify() {
  double target = 0;
  for (const double t : problem_.target) target = std::max(target, std::abs(t));
  const double size = norm1(beta_);
  double moved = 0;  // since the low part was last added
  for (int64_t i = 0; i < this->size(); ++i) moved += std::abs(beta_[i] - known_[i]);
  double left = kHighRounding * bounds_.largest * moved;
  if (left > kNegligible * tol_) {
    correct();
    left = 0;
  }
  const auto error = [&] {
    const double roundings = static_cast<double>(block_.additions + 4) * 0x1p-53;
    const double entries = bounds_.error + SplitMatrix::kRounding * bounds_.largest;
    return left + size * entries + roundings * (block_.added * bounds_.largest + target);
  };
  if (error() > tol_ / 8) renew();
  certificate_ = svm::certify(stated(), beta_.data(), f_.data(), error());
  return certificate_.violation + certificate_.bound <= tol_;
}

}  // namespace svm
