#include "stream/descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stream/descent_of.h"
#include "stream/sample.h"

namespace svm::stream {

std::unique_ptr<Descent> Descent::over(const Points& points, const Plan& plan, int64_t outputs,
                                       int threads) {
  if (single_precision(points)) {
    return std::make_unique<DescentOf<float>>(plan, points.columns(), outputs, threads);
  }
  return std::make_unique<DescentOf<double>>(plan, points.columns(), outputs, threads);
}

Rate choose_rate(const Points& points, const Targets& targets, std::span<const int64_t> rows,
                 Plan plan, int64_t outputs, const Workers& workers) {
  const Sample sample(points, targets, rows);
  const double size = static_cast<double>(rows.size());
  outputs = std::min<int64_t>(outputs, 4);
  std::vector<double> sums(outputs);
  plan.average = plan.l1 == 0;
  plan.start = static_cast<double>(rows.size() / plan.batch / 2);
  const auto objective = [&](double eta0) {
    plan.eta0 = eta0;
    const auto trial = Descent::over(sample.points(), plan, outputs, workers.threads);
    trial->pass(sample.points(), sample.targets(), sample.order(), workers);
    trial->losses(sample.points(), sample.targets(), sample.order(), sums.data(), workers);
    double total = 0;
    for (const double sum : sums) total += sum / size;
    for (const double penalty : trial->penalties()) total += penalty;
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
  };
  double length = 0, squares = 0;
  for (const double m : sample.mean_squares()) length += m, squares += m * m;
  plan.intercept_rate = length > 0 ? std::min(1.0, std::sqrt(squares / length)) : 1;
  double eta0 = 1 / (1 + length), best = objective(eta0);
  // Upwards, then downwards; one worse value may be noise, two in a row are the other side.
  const double first = eta0;
  for (const double by : {2.0, 0.5}) {
    double tried = first;
    for (int worse = 0; worse < 2 && !workers.monitor.stopped();) {
      tried *= by;
      const double next = objective(tried);
      worse = next < best ? 0 : worse + 1;
      if (next < best) best = next, eta0 = tried;
    }
    if (eta0 != first) break;
  }
  return {eta0, plan.intercept_rate};
}

}  // namespace svm::stream
