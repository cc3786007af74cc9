// Linear machines through C: exact and stochastic ones.
#include "linear/solve.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernel/expansion.h"
#include "lab/data.h"
#include "lab/lab.h"
#include "lab/message.h"
#include "linear/crammer_singer.h"
#include "rows/products.h"
#include "stream/descent.h"
#include "stream/order.h"

namespace {

using svm::stream::Descent;
using svm::stream::Plan;

// How a fit ended and how good it is, into the numbers of lab.h.
template <class Solution>
void put(const Solution& found, double* numbers) {
  lab::put(found.certificate, numbers);
  numbers[LAB_STATUS] = static_cast<double>(found.status);
  numbers[LAB_STEPS] = static_cast<double>(found.steps);
  numbers[LAB_NEWTON_STEPS] = static_cast<double>(found.newton_steps);
  numbers[LAB_SECONDS] = found.seconds;
}

Plan plan_of(const double* numbers) {
  constexpr int kLosses = static_cast<int>(svm::stream::LossKind::squared_error) + 1;
  if (!(numbers[LAB_PLAN_LOSS] >= 0 && numbers[LAB_PLAN_LOSS] < kLosses)) {
    throw std::invalid_argument("there is no loss of this number");
  }
  if (!(numbers[LAB_PLAN_BATCH] >= 1 && numbers[LAB_PLAN_BATCH] <= 0x1p31)) {
    throw std::invalid_argument("a batch must have a row or more");
  }
  return {.loss = static_cast<svm::stream::LossKind>(static_cast<int>(numbers[LAB_PLAN_LOSS])),
          .alpha = numbers[LAB_PLAN_ALPHA],
          .eta0 = numbers[LAB_PLAN_ETA0],
          .convexity = numbers[LAB_PLAN_CONVEXITY],
          .decay = numbers[LAB_PLAN_DECAY],
          .power = numbers[LAB_PLAN_POWER],
          .origin = numbers[LAB_PLAN_ORIGIN],
          .radius = numbers[LAB_PLAN_RADIUS],
          .average = numbers[LAB_PLAN_AVERAGE] != 0,
          .start = numbers[LAB_PLAN_START],
          .forget = numbers[LAB_PLAN_FORGET],
          .intercept = numbers[LAB_PLAN_INTERCEPT] != 0,
          .penalise_intercept = numbers[LAB_PLAN_INTERCEPT] == 2,
          .batch = static_cast<int64_t>(numbers[LAB_PLAN_BATCH])};
}

// The rows that eta0 is chosen on, as in src/maxmargin/solvers/stochastic.py: a few are taken again
// and again, because one pass over them prefers steps that are too small for the passes to come.
std::vector<int64_t> rate_sample(const lab::Points& points, std::span<const int64_t> index,
                                 uint64_t seed) {
  constexpr size_t kLeast = 200, kMost = 1000;
  const size_t size = index.size() > kLeast ? std::clamp(index.size() / 100, kLeast, kMost) : kMost;
  std::vector<int64_t> sample;
  while (sample.size() < size) {
    const std::vector<int64_t> pass = svm::stream::shuffled(points, index, seed++);
    sample.insert(sample.end(), pass.begin(),
                  pass.begin() + std::min<int64_t>(pass.size(), size - sample.size()));
  }
  return sample;
}

// A descent, and the rows that say where it has been.
struct Walk {
  using Clock = std::chrono::steady_clock;

  const lab::Points& points;
  svm::stream::Targets targets;
  Descent& descent;
  bool mean;
  double* row;
  int32_t count = 0;
  double seconds = 0;

  void record() {
    row[0] = seconds;
    row[1] = static_cast<double>(descent.steps);
    row[2] = static_cast<double>(descent.updates[0]);
    descent.intercepts(mean, row + 3);
    descent.weights(mean, row + 4);
    row += 4 + points.columns();
    ++count;
  }

  // The steps of these rows, in this order; only they are timed.
  void go(std::span<const int64_t> order, const svm::Workers& workers) {
    const auto begun = Clock::now();
    descent.pass(points, targets, order, workers);
    seconds += std::chrono::duration<double>(Clock::now() - begun).count();
  }
};

}  // namespace

int lab_linear(const double* x, int32_t n, int32_t d, const double* target, const double* lower,
               const double* upper, const double* ridge, double epsilon, int32_t has_intercept,
               double penalty, int32_t newton, double tol, double max_steps, double* w,
               double* beta, double* numbers) {
  return lab::guarded([&] {
    const auto size = static_cast<size_t>(n);
    const svm::DenseProducts<double> products(svm::DenseRows<double>{x, n, d});
    const std::vector<int64_t> index = svm::all_rows(n);
    svm::linear::Tube loss({target, size}, {lower, size}, {upper, size},
                           {ridge, ridge != nullptr ? size : 0}, epsilon);
    const svm::linear::Problem problem{{products, index}, loss, {has_intercept != 0, penalty}, 1.0};
    const svm::Settings settings{.tol_gap = tol, .max_steps = lab::limit_of(max_steps)};
    svm::Monitor monitor;
    const svm::linear::Solution found =
        newton != 0
            ? svm::linear::newton(problem, svm::linear::Directions::matrix, settings, monitor)
            : svm::linear::descend(problem, settings, monitor);
    std::ranges::copy(found.w, w);
    std::ranges::copy(found.beta, beta);
    put(found, numbers);
    numbers[LAB_MULTIPLIER] = found.intercept;
  });
}

int lab_stochastic(const double* x, int32_t n, int32_t d, const double* y, const double* weight,
                   const double* plan, int32_t seed, int32_t max_steps, int32_t record_every,
                   const double* begin, double* rows, int32_t* count) {
  return lab::guarded([&] {
    if (n < 1 || record_every < 1) {
      throw std::invalid_argument("rows and record_every must be at least 1");
    }
    const lab::Points points = lab::points_of(x, n, d);
    const auto size = static_cast<size_t>(n);
    const svm::stream::Targets targets{{y, size}, {weight, size}, false};
    const std::vector<int64_t> index = svm::all_rows(n);
    svm::Monitor monitor;
    const svm::Workers workers{1, monitor};
    Plan steps = plan_of(plan);
    if (steps.eta0 == 0) {
      const auto sample = rate_sample(points, index, static_cast<uint64_t>(std::max(seed, 0)));
      const svm::stream::Rate rate =
          svm::stream::choose_rate(points, targets, sample, steps, 1, workers);
      steps.eta0 = rate.eta0, steps.intercept_rate = rate.intercept;
    }
    const std::unique_ptr<Descent> descent = Descent::over(points, steps, 1, 1);
    if (begin != nullptr) descent->set(false, begin, begin + d);
    Walk walk{points, targets, *descent, steps.average, rows};
    walk.record();
    std::vector<int64_t> order = index;
    for (int32_t pass = 1; descent->steps < max_steps; ++pass) {
      if (seed >= 0)
        order = svm::stream::shuffled(points, index, static_cast<uint64_t>(seed) + pass);
      for (int64_t at = 0; at < n && descent->steps < max_steps;) {
        const int64_t due = record_every - descent->steps % record_every;
        const int64_t left = std::min<int64_t>(due, max_steps - descent->steps);
        const int64_t some = std::min<int64_t>(left * steps.batch, n - at);
        walk.go(std::span(order).subspan(at, some), workers);
        at += some;
        if (descent->steps % record_every == 0 || descent->steps == max_steps) walk.record();
      }
    }
    *count = walk.count;
  });
}

int lab_crammer_singer(const double* x, int32_t n, int32_t d, const int32_t* label, int32_t classes,
                       const double* C, double tol, double* w, double* b, double* numbers) {
  return lab::guarded([&] {
    const bool known =
        std::all_of(label, label + n, [=](int32_t y) { return y >= 0 && y < classes; });
    if (n < 1 || !known) throw std::invalid_argument("a label is outside the classes");
    const lab::Points points = lab::points_of(x, n, d);
    const svm::DenseProducts<double> products(svm::DenseRows<double>{x, n, d});
    const std::vector<int64_t> index = svm::all_rows(n), labels(label, label + n);
    const svm::linear::crammer_singer::Problem problem{
        points, {products, index}, labels, {C, static_cast<size_t>(n)}, classes, {true, 0.0}};
    svm::Monitor monitor;
    const auto found =
        svm::linear::crammer_singer::solve(problem, svm::Settings{.tol_gap = tol}, monitor);
    std::ranges::copy(found.primal.w, w);
    std::ranges::copy(found.primal.b, b);
    put(found, numbers);
  });
}
