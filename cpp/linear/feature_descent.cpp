#include "linear/feature_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linear/cholesky.h"
#include "simd/rows.h"

namespace svm::linear {
namespace {

// A step is taken when the objective falls by this share of what the model promises.
constexpr double kWorth = 0.01;
constexpr int kMostHalvings = 20;
// Curvature that every column has, as a share of its largest.
constexpr double kLeastCurvature = 1e-6;
// Zeros that keep to their condition by this share of the largest violation are left out.
constexpr double kLeave = 0.1;
// All features are looked at again once the others' violation has fallen to this share.
constexpr double kAgain = 0.2;
// So many passes are extrapolated at a time, of equations with this ridge, as a share of the diagonal.
constexpr int64_t kCourse = 5;
constexpr double kRidge = 1e-12;

}  // namespace

FeatureDescent::FeatureDescent(const Problem& problem, const Tube& tube, const Points& points,
                               double b, const Workers& workers)
    : workers_(workers),
      n_(problem.sample.size()),
      d_(problem.sample.columns()),
      present_(problem.intercept.present),
      forms_(n_),
      rows_(n_),
      u_(d_ + present_),
      penalty_(d_ + present_, 1.0),
      most_(d_ + present_),
      order_(d_ + present_),
      active_(d_ + present_) {
  if (present_) penalty_.back() = std::sqrt(problem.intercept.penalty), u_.back() = b;
  copy_columns(problem, points);
  for (int64_t k = 0; k < n_; ++k) {
    forms_[k] = {1 / tube.ridge(k), tube.lowest(k), tube.highest(k)};
    rows_[k].rest = tube.target()[k] - b;
    renew(k);
  }
  for (int64_t j = 0; j < d_ + present_; ++j) {
    for (int64_t e = starts_[j]; e < starts_[j + 1]; ++e) {
      most_[j] += forms_[places_[e]].inverse * values_[e] * values_[e];
    }
  }
  std::iota(order_.begin(), order_.end(), 0);
}

void FeatureDescent::copy_columns(const Problem& problem, const Points& points) {
  const auto index = problem.sample.index;
  std::vector<double> values(d_);
  std::vector<int32_t> places(d_);
  const auto for_entries = [&](auto f) {
    for (int64_t k = 0; k < n_; ++k) {
      const int64_t count = points.entries(index[k]);
      points.list_row(index[k], values.data(), places.data());
      for (int64_t e = 0; e < count; ++e) f(k, places[e], values[e]);
      if (present_) f(k, d_, 1.0);
    }
  };
  starts_.assign(d_ + present_ + 1, 0);
  for_entries([&](int64_t, int64_t j, double) { ++starts_[j + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
  places_.resize(starts_.back());
  values_.resize(starts_.back());
  for_entries([&](int64_t k, int64_t j, double value) {
    places_[next[j]] = static_cast<int32_t>(k);
    values_[next[j]++] = value;
  });
}

void FeatureDescent::renew(int64_t k) {
  const Form& form = forms_[k];
  const double free = rows_[k].rest * form.inverse;
  const double beta = std::clamp(free, form.lower, form.upper);
  rows_[k].beta = beta;
  rows_[k].curvature = free == beta && beta != 0 ? form.inverse : 0;
}

bool FeatureDescent::run(double tolerance, int64_t most) {
  const int64_t all = d_ + present_;
  double leave = kInfinity, goal = 0;
  active_ = all;
  while (passes_ < most && !workers_.monitor.stop()) {
    const bool whole = active_ == all;
    const double worst = pass(leave);
    ++passes_;
    remember();
    if (whole && worst <= tolerance) return true;
    if (whole) goal = std::max(kAgain * worst, tolerance);
    const bool look = !whole && worst <= goal;
    if (look) active_ = all;
    leave = look ? kInfinity : kLeave * worst;
  }
  return false;
}

void FeatureDescent::remember() {
  Place place{u_, std::vector<double>(n_)};
  for (int64_t k = 0; k < n_; ++k) place.rest[k] = rows_[k].rest;
  course_.push_back(std::move(place));
  if (static_cast<int64_t>(course_.size()) <= kCourse) return;
  extrapolate();
  course_.clear();
}

void FeatureDescent::extrapolate() {
  constexpr int64_t kOrder = simd::kOuterTile;
  static_assert(kCourse < kOrder);
  const auto& loops = simd::row_table().loops<double>();
  const auto size = static_cast<int64_t>(u_.size());
  std::vector<std::vector<double>> ways(kCourse);
  for (int64_t t = 0; t < kCourse; ++t) {
    ways[t] = course_[t + 1].u;
    loops.axpy(course_[t].u.data(), -1, size, ways[t].data());
  }
  // Least |sum c_t way_t|^2 with sum c_t = 1: c is the solution of Gc = 1, divided by its sum.
  std::vector<double> gram(kOrder * kOrder), c(kOrder);
  for (int64_t i = 0; i < kOrder; ++i) gram[i * kOrder + i] = 1;
  double largest = 0;
  for (int64_t i = 0; i < kCourse; ++i) {
    for (int64_t j = i; j < kCourse; ++j) {
      gram[i * kOrder + j] = loops.dot(ways[i].data(), ways[j].data(), size);
    }
    largest = std::max(largest, gram[i * kOrder + i]);
    c[i] = 1;
  }
  for (int64_t i = 0; i < kCourse; ++i) gram[i * kOrder + i] += kRidge * largest;
  if (!(largest > 0) || !factorize(gram.data(), kOrder, kOrder, workers_)) return;
  solve_factored(gram.data(), kOrder, kOrder, c.data());
  const double total = std::accumulate(c.begin(), c.begin() + kCourse, 0.0);
  if (!(std::abs(total) > 0) || !std::isfinite(total)) return;
  Place end{std::vector<double>(u_.size()), std::vector<double>(n_)};
  for (int64_t t = 0; t < kCourse; ++t) {
    loops.axpy(course_[t + 1].u.data(), c[t] / total, size, end.u.data());
    loops.axpy(course_[t + 1].rest.data(), c[t] / total, n_, end.rest.data());
  }
  if (!(objective(end.u, end.rest) < objective(u_, course_.back().rest))) return;
  u_ = std::move(end.u);
  for (int64_t k = 0; k < n_; ++k) {
    rows_[k].rest = end.rest[k];
    renew(k);
  }
}

double FeatureDescent::objective(const std::vector<double>& u,
                                 const std::vector<double>& rest) const {
  double sum = 0;
  for (size_t j = 0; j < u.size(); ++j) sum += penalty_[j] * std::abs(u[j]);
  for (int64_t k = 0; k < n_; ++k) {
    const auto& [inverse, lower, upper] = forms_[k];
    const double beta = std::clamp(rest[k] * inverse, lower, upper);
    sum += beta * (rest[k] - beta / (2 * inverse));
  }
  return sum;
}

// One step on each feature that is not left out, always in the same order. Zeros that are below their
// penalty by `leave` are left out from now on.
double FeatureDescent::pass(double leave) {
  double worst = 0;
  int64_t kept = 0;
  std::vector<int64_t> left;
  for (int64_t i = 0; i < active_; ++i) {
    const int64_t j = order_[i];
    double slope = 0, curvature = 0;
    for (int64_t e = starts_[j]; e < starts_[j + 1]; ++e) {
      const Row& row = rows_[places_[e]];
      slope += values_[e] * row.beta;
      curvature += values_[e] * values_[e] * row.curvature;
    }
    const double u = u_[j], over = std::abs(slope) - penalty_[j];
    if (u == 0 && over < -leave) {
      left.push_back(j);
      continue;
    }
    order_[kept++] = j;
    const double violation =
        u == 0 ? std::max(0.0, over) : std::abs(slope - std::copysign(penalty_[j], u));
    worst = std::max(worst, violation);
    if (violation > 0) step(j, slope, curvature);
  }
  std::copy(left.begin(), left.end(), order_.begin() + kept);
  active_ = kept;
  return worst;
}

void FeatureDescent::step(int64_t j, double slope, double curvature) {
  const double h = std::max(curvature, kLeastCurvature * most_[j]), u = u_[j];
  if (!(h > 0)) return;
  const double v = h * u + slope;
  double way = (v - std::clamp(v, -penalty_[j], penalty_[j])) / h - u;
  for (int halving = 0; halving < kMostHalvings; ++halving, way /= 2) {
    const double price = penalty_[j] * (std::abs(u + way) - std::abs(u));
    const double enough = kWorth * (price - slope * way);
    // The largest curvature tells without a look at the losses, mostly.
    const double bound = price - slope * way + most_[j] * way * way / 2;
    if (bound > enough && price + loss_change(j, way) > enough) continue;
    u_[j] = u + way;
    for (int64_t e = starts_[j]; e < starts_[j + 1]; ++e) {
      rows_[places_[e]].rest -= way * values_[e];
      renew(places_[e]);
    }
    return;
  }
}

double FeatureDescent::loss_change(int64_t j, double way) const {
  double sum = 0;
  for (int64_t e = starts_[j]; e < starts_[j + 1]; ++e) {
    const auto& [inverse, lower, upper] = forms_[places_[e]];
    const Row& row = rows_[places_[e]];
    const double rest = row.rest - way * values_[e];
    const double beta = std::clamp(rest * inverse, lower, upper);
    sum += beta * (rest - beta / (2 * inverse)) - row.beta * (row.rest - row.beta / (2 * inverse));
  }
  return sum;
}

}  // namespace svm::linear
