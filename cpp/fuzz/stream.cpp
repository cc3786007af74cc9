#include <cmath>
#include <memory>
#include <vector>

#include "fuzz/data.h"
#include "fuzz/harness.h"
#include "kernel/expansion.h"
#include "stream/bound.h"
#include "stream/descent.h"
#include "stream/order.h"

namespace {

using svm::stream::Plan;

Plan make_plan(fuzz::Bytes& bytes, int64_t outputs) {
  Plan plan{.loss = static_cast<svm::stream::LossKind>(bytes.between(0, 8)),
            .width = bytes.size(),
            .alpha = bytes.size(),
            .eta0 = bytes.size(),
            .convexity = bytes.size(),
            .decay = bytes.size(),
            .power = bytes.size(),
            .origin = bytes.flag() ? 1.0 : 0.0};
  const uint8_t kind = bytes.byte() % 4;
  plan.average = kind == 0;
  if (kind == 1) plan.l1 = bytes.size();
  if (kind == 2) plan.radius = bytes.size();
  plan.start = bytes.size(), plan.forget = bytes.size();
  plan.intercept = bytes.flag(), plan.penalise_intercept = bytes.flag();
  plan.intercept_rate = bytes.size();
  plan.batch = bytes.between(1, 20);
  if (bytes.flag()) plan.own = bytes.sizes(outputs);
  return plan;
}

}  // namespace

// Passes, what they find, and the bound of its distance to the optimum.
HARNESS(stream) {
  bytes.wild_numbers();
  const fuzz::Data data{bytes, bytes.between(1, 12), bytes.between(0, 5)};
  const int64_t n = data.rows(), d = data.columns(), outputs = bytes.between(1, 5);
  const Plan plan = make_plan(bytes, outputs);
  std::vector<double> y(n), weight = bytes.sizes(n);
  for (double& one : y) {
    one = outputs > 1 ? static_cast<double>(bytes.between(0, outputs - 1)) : bytes.number();
  }
  const svm::stream::Targets targets{y, weight, outputs > 1};
  const svm::Points& points = data.points();
  const std::vector<int64_t> rows = svm::all_rows(n);
  const auto order = bytes.flag() ? svm::stream::shuffled(points, rows, bytes.byte())
                                  : bytes.places(bytes.between(0, 12), n);
  REQUIRE(order.size() <= 12);
  fuzz::Patience patience(bytes);
  const svm::Workers workers{1, patience.monitor()};
  const auto descent = svm::stream::Descent::over(points, plan, outputs, 1);
  std::vector<double> w(outputs * d), b(outputs), losses(outputs);
  if (bytes.flag()) {
    w = bytes.numbers(outputs * d), b = bytes.numbers(outputs);
    descent->set(plan.average && bytes.flag(), w.data(), b.data());
  }
  for (int64_t pass = bytes.between(0, 3); pass >= 0; --pass) {
    descent->pass(points, targets, order, workers);
  }
  descent->losses(points, targets, rows, losses.data(), workers);
  REQUIRE(std::ssize(descent->penalties()) == outputs && descent->steps >= 0);
  descent->weights(plan.average, w.data());
  descent->intercepts(plan.average, b.data());
  std::vector<svm::stream::Bound> found(outputs);
  svm::stream::bounds(points, targets, plan, w.data(), b, bytes.size(), found, workers);
  if (bytes.byte() % 8 == 0)
    svm::stream::choose_rate(points, targets, order, plan, outputs, workers);
}
