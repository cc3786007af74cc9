// Fits, and what can be asked of them.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "dual/solve.h"
#include "kernel/expansion.h"
#include "lab/data.h"
#include "lab/lab.h"
#include "lab/message.h"

using lab::Data;

namespace {

// The last rows of a trace: its end is always among them. Returns how many.
size_t put(const std::vector<svm::TraceRow>& trace, size_t most, double* out) {
  const size_t count = std::min(trace.size(), most);
  for (size_t k = trace.size() - count; k < trace.size(); ++k) {
    const svm::TraceRow& row = trace[k];
    const double columns[LAB_TRACE_COLUMNS] = {
        row.seconds,   static_cast<double>(row.steps),  row.primal, row.dual, row.gap,
        row.violation, static_cast<double>(row.support)};
    out = std::copy_n(columns, LAB_TRACE_COLUMNS, out);
  }
  return count;
}

}  // namespace

void* lab_alloc(int32_t bytes) { return std::malloc(static_cast<size_t>(bytes)); }
void lab_free(void* memory) { std::free(memory); }

int lab_solve(const double* x, int32_t n, int32_t d, const double* kernel, int32_t variables,
              const double* target, const double* lower, const double* upper, double epsilon,
              const uint8_t* group, const double* total, const double* ridge, double tol,
              double max_steps, const double* start, double* beta, double* gradient,
              double* numbers, double* trace, int32_t max_trace) {
  return lab::guarded([&] {
    const Data data(x, n, d, kernel);
    const svm::DualProblem problem =
        lab::problem_of(variables, target, lower, upper, epsilon, group, total, ridge);
    const svm::Settings settings{.tol_violation = tol, .max_steps = lab::limit_of(max_steps)};
    const size_t size = start != nullptr ? static_cast<size_t>(variables) : 0;
    svm::Monitor monitor;
    const svm::Solution found = svm::solve(*data.gram, problem, settings, {start, size}, monitor);
    std::ranges::copy(found.beta, beta);
    std::ranges::copy(found.gradient, gradient);
    lab::put(found.certificate, numbers);
    numbers[LAB_STATUS] = static_cast<double>(found.status);
    numbers[LAB_STEPS] = static_cast<double>(found.steps);
    numbers[LAB_NEWTON_STEPS] = static_cast<double>(found.newton_steps);
    numbers[LAB_SECONDS] = found.seconds;
    numbers[LAB_TRACE_ROWS] =
        static_cast<double>(put(found.trace, static_cast<size_t>(max_trace), trace));
  });
}

int lab_certify(const double* x, int32_t n, int32_t d, const double* kernel, int32_t variables,
                const double* target, const double* lower, const double* upper, double epsilon,
                const uint8_t* group, const double* total, const double* ridge, const double* beta,
                double* numbers) {
  return lab::guarded([&] {
    const Data data(x, n, d, kernel);
    const svm::DualProblem problem =
        lab::problem_of(variables, target, lower, upper, epsilon, group, total, ridge);
    svm::Monitor monitor;
    lab::put(svm::certify(*data.gram, problem, {beta, static_cast<size_t>(variables)}, 1, monitor),
             numbers);
  });
}

int lab_decision(const double* x, const double* coef, int32_t n, int32_t d, const double* kernel,
                 double intercept, const double* points, int32_t count, double* out) {
  return lab::guarded([&] {
    const lab::Points centres = lab::points_of(x, n, d), asked = lab::points_of(points, count, d);
    svm::Monitor monitor;
    const svm::Workers workers{1, monitor};
    svm::Expansion(lab::kernel_of(kernel), centres, {coef, static_cast<size_t>(n)}, 1, workers)
        .evaluate(asked, out, workers);
    for (int32_t p = 0; p < count; ++p) out[p] += intercept;
  });
}

int lab_gram(const double* x, int32_t n, int32_t d, const double* kernel, double* out) {
  return lab::guarded([&] {
    const Data data(x, n, d, kernel);
    svm::Monitor monitor;
    data.gram->block(data.index, out, {1, monitor});
    const double offset = data.gram->offset();
    std::for_each_n(out, data.index.size() * data.index.size(), [&](double& k) { k += offset; });
  });
}
