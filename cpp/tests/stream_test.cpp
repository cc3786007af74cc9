#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "rows/chunks.h"
#include "stream/bound.h"
#include "stream/descent.h"
#include "stream/order.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

using svm::stream::Descent;
using svm::stream::LossKind;
using svm::stream::Plan;
using svm::stream::Targets;

struct Run {
  std::vector<double> weights;
  double intercept;
};

Run run(const test::Clouds& clouds, const Plan& plan, int64_t passes, int threads) {
  const std::vector<double> weight(clouds.n, 1.0);
  svm::Monitor monitor;
  const auto descent = Descent::over(clouds.points, plan, 1, threads);
  for (int64_t k = 0; k < passes; ++k) {
    const auto order = svm::stream::shuffled(clouds.points, clouds.index, k);
    CHECK(descent->pass(clouds.points, {clouds.y, weight, false}, order, {threads, monitor}));
  }
  Run result{std::vector<double>(clouds.d), 0};
  descent->weights(plan.average, result.weights.data());
  descent->intercepts(plan.average, &result.intercept);
  return result;
}

Plan averaged(LossKind loss) {
  Plan plan;
  plan.loss = loss;
  plan.width = 0.1;
  plan.alpha = 0.01;
  plan.eta0 = 0.1;
  plan.convexity = plan.alpha;
  plan.decay = 1e-3;
  plan.power = 0.75;
  plan.forget = 3;
  return plan;
}

constexpr LossKind kAll[] = {
    LossKind::hinge,          LossKind::squared_hinge,       LossKind::logistic,
    LossKind::modified_huber, LossKind::epsilon_insensitive, LossKind::squared_epsilon_insensitive,
    LossKind::huber,          LossKind::squared_error};

}  // namespace

// h(u) + h*(s) = s u at a slope s of u, and >= elsewhere.
TEST(conjugates_belong_to_their_losses) {
  for (const LossKind kind : kAll) {
    svm::stream::with_loss(kind, 0.3, [](auto loss) {
      for (double u = -2; u <= 2; u += 0.037) {
        const double s = loss.slope(u);
        const double rest = loss.value(u) + loss.conjugate(s) - s * u;
        CHECK(std::abs(rest) < 1e-9, u, s);
        CHECK(loss.value(u + 0.1) + loss.conjugate(s) - s * (u + 0.1) > -1e-9, u, s);
      }
    });
  }
}

TEST(a_bound_lies_below_every_objective) {
  const test::Clouds clouds(500, 5, 1.0);
  const std::vector<double> weight(clouds.n, 1.0);
  svm::Monitor monitor;
  for (const LossKind kind : kAll) {
    const Plan plan = averaged(kind);
    double lowest = INFINITY, highest = 0;
    for (const int64_t passes : {1, 5, 40}) {
      const Run found = run(clouds, plan, passes, 1);
      svm::stream::Bound bound;
      CHECK(svm::stream::bounds(clouds.points, {clouds.y, weight, false}, plan,
                                found.weights.data(), {&found.intercept, 1}, 1.0, {&bound, 1},
                                {1, monitor}));
      lowest = std::min(lowest, bound.primal);
      highest = std::max(highest, bound.dual);
    }
    CHECK(highest <= lowest * (1 + 1e-12), highest, lowest);
    CHECK(highest > 0.5 * lowest, highest, lowest);
  }
}

TEST(outputs_do_not_depend_on_threads) {
  const test::Clouds clouds(3000, 7, 1.0);
  std::vector<double> codes(clouds.n), weight(clouds.n, 1.0);
  for (int64_t i = 0; i < clouds.n; ++i) codes[i] = static_cast<double>(i % 5);
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 2, 4}) {
    svm::Monitor monitor;
    const auto descent = Descent::over(clouds.points, averaged(LossKind::hinge), 5, threads);
    descent->pass(clouds.points, {codes, weight, true}, clouds.index, {threads, monitor});
    std::vector<double> weights(5 * clouds.d), sums(5);
    descent->weights(true, weights.data());
    descent->losses(clouds.points, {codes, weight, true}, clouds.index, sums.data(),
                    {threads, monitor});
    weights.insert(weights.end(), sums.begin(), sums.end());
    found.push_back(weights);
  }
  CHECK(found[0] == found[1] && found[0] == found[2]);
}

TEST(a_pass_stops_between_steps) {
  const test::Clouds clouds(200000, 4, 1.0);
  const std::vector<double> weight(clouds.n, 1.0);
  svm::Monitor monitor([](const svm::TraceRow&) { return true; });
  const auto descent = Descent::over(clouds.points, averaged(LossKind::hinge), 1, 1);
  int passes = 0;
  while (descent->pass(clouds.points, {clouds.y, weight, false}, clouds.index, {1, monitor})) {
    ++passes;
  }
  CHECK(descent->steps > passes * clouds.n && descent->steps <= (passes + 1) * clouds.n);
}

TEST(chunks_are_the_matrix_they_were_cut_from) {
  const test::Clouds clouds(50, 3, 1.0);
  const std::vector<int64_t> starts{0, 20, 20, 41, 50};
  std::unique_ptr<svm::RowProducts> at_hand;
  int64_t loads = 0;
  const svm::ChunkedRows chunked(starts, 3, false, [&](int64_t chunk) -> const svm::RowProducts& {
    ++loads;
    at_hand = std::make_unique<svm::DenseProducts<double>>(svm::DenseRows<double>{
        clouds.x.data() + starts[chunk] * 3, starts[chunk + 1] - starts[chunk], 3});
    return *at_hand;
  });
  const svm::DenseProducts<double> whole(svm::DenseRows<double>{clouds.x.data(), 50, 3});
  const double w[] = {0.5, -1, 2};
  std::vector<double> one(50), other(50), sum(3, 0.0), chunked_sum(3, 0.0);
  whole.multiply(clouds.index, w, one.data());
  chunked.multiply(clouds.index, w, other.data());
  CHECK(one == other && loads == 3, loads);
  whole.add(clouds.index, one.data(), sum.data());
  chunked.add(clouds.index, one.data(), chunked_sum.data());
  for (int k = 0; k < 3; ++k) CHECK(std::abs(sum[k] - chunked_sum[k]) < 1e-12);
  CHECK(chunked.rows() == 50 && chunked.section(19) == 0 && chunked.section(20) == 2);
  CHECK(chunked.squared_norm(45) == whole.squared_norm(45));
}
