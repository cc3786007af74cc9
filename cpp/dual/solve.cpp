#include "dual/solve.h"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dual/certificate.h"
#include "dual/exact_gradient.h"
#include "dual/fit.h"
#include "dual/in_memory.h"
#include "dual/large.h"
#include "kernel/expansion.h"

namespace svm {
namespace {

Solution finish(Fit& fit) {
  Solution& solution = fit.solution;
  solution.gradient = std::move(fit.f);
  solution.steps = fit.budget.steps;
  fit.trace.finish(solution.certificate, solution.steps);
  solution.trace = fit.trace.take();
  solution.seconds = fit.monitor.seconds();
  solution.work = fit.monitor.work;
  solution.flops = solution.work.flops(fit.gram.row_length());
  return std::move(solution);
}

}  // namespace

Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Share& share, Monitor& monitor) {
  if (!std::isfinite(gram.largest_entry())) {
    throw std::invalid_argument(
        "The dual coefficients or intercepts are not finite: kernel values overflow float64; scale "
        "the data");
  }
  Fit fit(gram, problem, settings, share, monitor);
  fit.begin(start);
  if (monitor.stop()) {
    fit.restart();
  } else if (problem.size() <= share.small) {
    solve_in_memory(fit);
  } else {
    solve_large(fit);
  }
  // Rows that float64 does not tell apart and no bounds can lead beyond its numbers, where nothing is
  // known but the point that every fit may begin with.
  const Certificate& found = fit.solution.certificate;
  const bool losses = problem.ridge.empty() || std::isfinite(found.primal);
  if (!losses || !std::isfinite(found.dual)) fit.restart();
  return finish(fit);
}

Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Monitor& monitor) {
  Share share;
  return solve(gram, problem, settings, start, share, monitor);
}

Certificate certify(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                    int threads, Monitor& monitor) {
  std::vector<double> f(problem.size());
  exact_gradient(gram, problem, beta, all_rows(problem.size()), f.data(), {threads, monitor});
  return certify(problem, beta.data(), f.data(),
                 gradient_error(gram, problem, beta, chunked_additions(beta)), false, Level::best);
}

}  // namespace svm
