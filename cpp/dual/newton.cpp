#include "dual/newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dual/certificate.h"

namespace svm {
namespace {

// Steps in a row that may improve little: neither the objective by more than this share, nor the
// violation to less than this share. Below kNoise a difference of objectives is rounding.
constexpr int kPatience = 4;
constexpr double kLittle = 1e-9, kLess = 0.9, kNoise = 1e-12;
// A cost that the step leaves to a dropped row, as a share of the largest there was, is one where
// it is more than this.
constexpr double kCostLeft = 1e-3;
// A reference is replaced where it has less than this share of the room that another has: it must
// balance all others without meeting a bound.
constexpr double kRoomShare = 0.1;
// A variable this close to an end, against how far it moved, is at it.
constexpr double kAtEnd = 1e-15;

}  // namespace

Newton::Newton(const StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
               std::span<const double> ridge, const Workers& workers)
    : K_(K),
      box_(box),
      constant_(std::move(constant)),
      workers_(workers),
      factor_(K, box, ridge, workers_),
      low_(K.size()),
      high_(K.size()),
      cost_(K.size()),
      change_(K.size()) {}

void Newton::gradient(const double* beta, double* f) const {
  std::copy(constant_.begin(), constant_.end(), f);
  K_.multiply_add(beta, f, workers_.threads);
}

void Newton::run(double* beta, double* f, double target, int64_t most) {
  const Stopwatch watch(workers_.monitor.work.newton_seconds);
  const int64_t n = K_.size();
  std::vector<double> best_beta(beta, beta + n), best_f(f, f + n);
  double lowest = extremes(box_, beta, f).violation(), highest = value(beta, f);
  int stale = 0;
  for (int64_t k = 0; k < most && stale < kPatience && lowest > target; ++k, ++stale) {
    if (workers_.monitor.stop() || !step(beta, f, k == 0 ? kInfinity : target / 2)) break;
    ++steps_;
    gradient(beta, f);
    const double dual = value(beta, f), violation = extremes(box_, beta, f).violation();
    const double noise = kNoise * std::abs(highest);
    if (dual <= highest + noise && violation >= lowest) continue;
    if (dual > highest + kLittle * std::abs(highest) || violation < kLess * lowest) stale = -1;
    lowest = violation;
    highest = std::max(highest, dual);
    best_beta.assign(beta, beta + n);
    best_f.assign(f, f + n);
  }
  std::copy_n(best_beta.data(), n, beta);
  std::copy_n(best_f.data(), n, f);
}

double Newton::value(const double* beta, const double* f) const {
  double sum = 0;
  for (int64_t i = 0; i < K_.size(); ++i) {
    sum -= beta[i] * (f[i] + constant_[i]) / 2 + box_.epsilon * std::abs(beta[i]);
  }
  return sum;
}

bool Newton::step(double* beta, const double* f, double slack) {
  collect(beta, f, slack);
  if (movers_.size() < 2) collect(beta, f, 0);
  if (!renew_factor(beta)) return false;
  solve_with_dropped();
  return run_flat(beta) || descend(beta);
}

bool Newton::descend(double* beta) {
  bool moved = false;
  for (size_t left = few(factor_.kept().size()); !workers_.monitor.stop(); solve()) {
    moved |= follow(beta);
    const size_t ended = erase_ended(beta, left);
    if (ended == 0 || ended > left) break;
    left -= ended;
  }
  return moved;
}

size_t Newton::erase_ended(const double* beta, size_t most) {
  std::vector<size_t> places;
  for (size_t k = factor_.kept().size(); k-- > 0;) {
    const int64_t i = factor_.kept()[k];
    if (beta[i] == low_[i] || beta[i] == high_[i]) places.push_back(k);
  }
  if (places.size() <= most) {
    for (const size_t k : places) factor_.erase(k);
  }
  return places.size();
}

double Newton::interior(int64_t i, const double* beta) const {
  if (!box_.free(i, beta[i])) return -1;
  return std::min(beta[i] - box_.down_end(i, beta[i]), box_.up_end(i, beta[i]) - beta[i]);
}

void Newton::collect(const double* beta, const double* f, double slack) {
  movers_.clear();
  const auto level = intercepts(box_, beta, f);
  for (int64_t i = 0; i < box_.size(); ++i) {
    const double up = f[i] + box_.up_offset(i, beta[i]), down = f[i] + box_.down_offset(i, beta[i]);
    const bool free = box_.free(i, beta[i]);
    low_[i] = high_[i] = beta[i];
    const double even = -level[box_.group_of(i)];
    if (free || up < even - slack) {
      high_[i] = box_.up_end(i, beta[i]);
      cost_[i] = up;
    } else if (down > even + slack) {
      cost_[i] = down;
    } else {
      continue;
    }
    if (free || cost_[i] == down) low_[i] = box_.down_end(i, beta[i]);
    movers_.push_back(i);
  }
  std::stable_sort(movers_.begin(), movers_.end(),
                   [&](int64_t i, int64_t j) { return interior(i, beta) > interior(j, beta); });
}

bool Newton::renew_factor(const double* beta) {
  Factor::References references = factor_.references();
  for (int g = 0; g < box_.groups(); ++g) {
    const auto first = std::find_if(movers_.begin(), movers_.end(),
                                    [&](int64_t i) { return box_.group_of(i) == g; });
    if (first == movers_.end()) {
      references[g] = -1;
    } else if (references[g] < 0 ||
               interior(references[g], beta) <= kRoomShare * interior(*first, beta)) {
      references[g] = *first;
    }
  }
  std::vector<uint8_t> state(K_.size(), kIdle);
  for (const int64_t i : movers_) state[i] = kWanted;
  size_t gone = 0;
  for (const int64_t i : factor_.kept()) gone += state[i] == kIdle;
  if (references != factor_.references() || gone > few(factor_.kept().size())) {
    factor_.reset(references);
  }
  for (size_t k = factor_.kept().size(); k-- > 0;) {
    const int64_t i = factor_.kept()[k];
    if (state[i] == kIdle) factor_.erase(k);
    state[i] = kKnown;
  }
  factor_.forget_dropped([&](int64_t i) { return state[i] == kIdle; });
  for (const int64_t i : factor_.dropped()) state[i] = kKnown;
  std::vector<int64_t> wanted;
  for (const int64_t i : movers_) {
    if (state[i] == kWanted && factor_.reference(i) != i) wanted.push_back(i);
  }
  return factor_.append(wanted) && movers_.size() >= 2;
}

void Newton::solve() {
  const std::vector<int64_t>& kept = factor_.kept();
  std::vector<double> y(kept.size());
  for (size_t k = 0; k < kept.size(); ++k) {
    y[k] = cost_[factor_.reference(kept[k])] - cost_[kept[k]];
  }
  factor_.forward_substitute(y);
  factor_.back_substitute(y);
  spread(y);
}

void Newton::spread(const std::vector<double>& kept_changes) {
  std::fill(change_.begin(), change_.end(), 0.0);
  const std::vector<int64_t>& kept = factor_.kept();
  for (size_t k = 0; k < kept.size(); ++k) set_change(kept[k], kept_changes[k]);
}

void Newton::set_change(int64_t i, double value) {
  change_[i] = value;
  change_[factor_.reference(i)] -= value;
}

void Newton::solve_with_dropped() {
  double largest_cost = 0;
  for (const int64_t i : movers_) {
    largest_cost = std::max(largest_cost, std::abs(cost_[i] - cost_[factor_.reference(i)]));
  }
  for (solve();; solve()) {
    double largest = kCostLeft * largest_cost;
    steepest_.reset();
    for (const int64_t i : factor_.dropped()) {
      const int64_t r = factor_.reference(i);
      const double left = std::abs(cost_[i] - cost_[r] + product(i) - product(r));
      if (left <= largest) continue;
      largest = left;
      steepest_ = i;
    }
    if (!steepest_ || !factor_.retry(*steepest_)) return;
  }
}

bool Newton::run_flat(double* beta) {
  if (!steepest_) return false;
  const int64_t a = *steepest_;
  const std::vector<double> newton = change_;
  std::vector<double> v = factor_.eliminate(a);
  factor_.back_substitute(v);
  for (double& x : v) x = -x;
  spread(v);
  set_change(a, 1);
  const double cost = slope();
  if (cost > 0) {
    for (const int64_t i : movers_) change_[i] = -change_[i];
  }
  const double curved = curvature(), longest = first_bound(beta);
  const double length = curved > 0 ? std::min(longest, std::abs(cost) / curved) : longest;
  if (length > 0 && length < kInfinity) {
    move(beta, length);
    return true;
  }
  change_ = newton;
  return false;
}

double Newton::product(int64_t i) const {
  return simd::table().f64.dot(K_.row(i), change_.data(), K_.size());
}

double Newton::slope() const {
  double sum = 0;
  for (const int64_t i : movers_) sum += cost_[i] * change_[i];
  return sum;
}

double Newton::curvature() const {
  double sum = 0;
  for (const int64_t i : movers_) {
    if (change_[i] != 0) sum += change_[i] * product(i);
  }
  return sum;
}

double Newton::first_bound(const double* beta) const {
  double length = kInfinity;
  for (const int64_t i : movers_) {
    if (change_[i] > 0) length = std::min(length, (high_[i] - beta[i]) / change_[i]);
    if (change_[i] < 0) length = std::min(length, (low_[i] - beta[i]) / change_[i]);
  }
  return length;
}

void Newton::move(double* beta, double length) const {
  for (const int64_t i : movers_) {
    const double change = length * change_[i];
    beta[i] = std::clamp(beta[i] + change, low_[i], high_[i]);
    if (change > 0 && high_[i] - beta[i] <= kAtEnd * change) beta[i] = high_[i];
    if (change < 0 && low_[i] - beta[i] >= kAtEnd * change) beta[i] = low_[i];
  }
}

bool Newton::follow(double* beta) {
  std::vector<double> product(K_.size(), 0.0);
  K_.multiply_add(change_.data(), product.data(), workers_.threads);
  bool moved = false;
  for (size_t piece = 0; piece <= movers_.size(); ++piece) {
    double slope = 0, curvature = 0;
    for (const int64_t i : movers_) {
      slope += cost_[i] * change_[i];
      curvature += change_[i] * product[i];
    }
    // The first piece's lowest point is Newton's own: the quotient would be noise near the end.
    const double best = piece == 0 ? 1 : curvature > 0 ? -slope / curvature : kInfinity;
    const double first = first_bound(beta);
    const double length = std::min(best, first);
    if (!(slope < 0) || length == kInfinity) break;
    move(beta, length);
    for (const int64_t i : movers_) cost_[i] += length * product[i];
    moved |= length > 0;
    if (best <= first || !stop_ended(beta, product)) break;
  }
  return moved;
}

void Newton::add_row(int64_t i, double weight, std::vector<double>& sum) const {
  if (weight != 0) simd::table().f64.add(K_.row(i), weight, sum.data(), K_.size());
}

bool Newton::stop_ended(const double* beta, std::vector<double>& product) {
  for (const int64_t i : movers_) {
    const bool ended =
        (change_[i] > 0 && beta[i] == high_[i]) || (change_[i] < 0 && beta[i] == low_[i]);
    if (!ended) continue;
    if (i == factor_.reference(i)) return false;
    add_row(i, -std::exchange(change_[i], 0.0), product);
  }
  // Summed anew: the rounding of what was taken out would move a reference all by itself.
  for (const int64_t r : factor_.references()) {
    if (r < 0) continue;
    double rest = 0;
    for (const int64_t i : movers_) {
      if (i != r && factor_.reference(i) == r) rest += change_[i];
    }
    add_row(r, -rest - std::exchange(change_[r], -rest), product);
  }
  return true;
}

}  // namespace svm
