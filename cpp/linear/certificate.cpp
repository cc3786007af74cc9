#include "linear/certificate.h"

namespace svm::linear {

Certificate certify(const Problem& problem, const std::vector<double>& w, double c,
                    const std::vector<double>& b, double* dual_intercept, const Workers& workers) {
  const Sample& sample = problem.sample;
  std::vector<double> s(sample.size());
  DualPoint dual{b, {}, total(b)};
  if (!multiply(sample, w.data(), c, s.data(), workers)) return {};
  if (!combine(sample, b.data(), dual.w, workers)) return {};
  Certificate result = compare(problem, w, c, s, dual, workers);
  if (!multiply(sample, dual.w.data(), 0, s.data(), workers)) return {};
  const Violation found = violation(problem, dual, s, workers);
  result.violation = found.value;
  result.bound = violation_error(sample, b, workers);
  *dual_intercept = found.intercept;
  return result;
}

namespace {

// Other points as good as those found: the intercept that belongs to b, where any in an interval is
// best, and weights scaled up where rounding has left margins a hair below 1, which a large C would
// make dear. And no b at all is better than one with a negative objective.
void improve(const Problem& problem, Solution& solution, const Workers& workers) {
  const auto judge = [&](const std::vector<double>& w, double c, const std::vector<double>& b,
                         double* own) { return certify(problem, w, c, b, own, workers); };
  const auto try_point = [&](double factor, double c) {
    std::vector<double> w = solution.w;
    for (double& x : w) x *= factor;
    double own;
    const Certificate found = judge(w, c, solution.b, &own);
    if (found.gap > std::max(solution.certificate.gap, 1e-14)) return;
    solution.certificate = found;
    solution.w = std::move(w);
    solution.intercept = c;
  };
  if (solution.certificate.dual < 0) {
    std::fill(solution.b.begin(), solution.b.end(), 0.0);
    solution.certificate =
        judge(solution.w, solution.intercept, solution.b, &solution.dual_intercept);
  }
  const Tube* tube = dynamic_cast<const Tube*>(&problem.loss);
  if (tube == nullptr || !tube->kinked()) return;
  if (problem.intercept.present && problem.intercept.penalty == 0) {
    try_point(1, solution.dual_intercept);
  }
  for (const double hair : {1e-15, 1e-12, 1e-9}) {
    if (solution.certificate.gap > 1e-12) try_point(1 + hair, solution.intercept * (1 + hair));
  }
}

}  // namespace

void conclude(const Problem& problem, const Settings& settings, Status status,
              const Monitor& monitor, Solution& solution) {
  const double before = monitor.seconds();
  Monitor quiet;
  balance(problem, solution.b);
  solution.certificate = certify(problem, solution.w, solution.intercept, solution.b,
                                 &solution.dual_intercept, {settings.threads, quiet});
  // On large problems these would take as long as a step, for digits nobody asked for.
  if (problem.sample.stored() <= kSmallEntries) {
    improve(problem, solution, {settings.threads, quiet});
  }
  const Certificate& c = solution.certificate;
  const bool good = c.gap <= settings.tol && c.violation + c.bound <= settings.violation;
  if (good) status = Status::optimal;
  solution.status = !good && status == Status::optimal ? Status::precision : status;
  int64_t support = 0;
  for (const double b : solution.b) support += b != 0;
  solution.seconds = monitor.seconds();
  solution.certificate_seconds = solution.seconds - before;
  solution.trace.push_back(
      {solution.seconds, solution.steps, c.primal, c.dual, c.gap, c.violation, support});
}

}  // namespace svm::linear
