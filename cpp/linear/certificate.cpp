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
  const Violation found = violation(problem, dual, s);
  result.violation = found.value;
  result.bound = violation_error(sample, b);
  *dual_intercept = found.intercept;
  return result;
}

void conclude(const Problem& problem, const Settings& settings, Status status,
              const Monitor& monitor, Solution& solution) {
  const double before = monitor.seconds();
  Monitor quiet;
  balance(problem, solution.b);
  solution.certificate = certify(problem, solution.w, solution.intercept, solution.b,
                                 &solution.dual_intercept, {settings.threads, quiet});
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
