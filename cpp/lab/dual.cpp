// Fits, and what can be asked of them.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dual/solve.h"
#include "kernel/expansion.h"
#include "kernel/gram.h"
#include "lab/kernel_of.h"
#include "lab/lab.h"
#include "lab/message.h"
#include "rows/points.h"

namespace {

using Rows = svm::DensePoints<double>;

Rows rows_of(const double* x, int32_t n, int32_t d) {
  return Rows(svm::DenseRows<double>{x, n, d});
}

// The rows and their kernel matrix, which looks into them.
struct Data {
  Rows points;
  std::vector<int64_t> index;
  std::unique_ptr<svm::Gram> gram;

  Data(const double* x, int32_t n, int32_t d, const double* kernel)
      : points(rows_of(x, n, d)),
        index(svm::all_rows(n)),
        gram(svm::make_gram(points, index, lab::kernel_of(kernel))) {}
};

svm::DualProblem problem_of(int32_t variables, const double* target, const double* lower,
                            const double* upper, double epsilon, const uint8_t* group,
                            const double* total, const double* ridge) {
  const auto size = static_cast<size_t>(variables);
  svm::DualProblem problem{{target, size}, {{lower, size}, {upper, size}, epsilon}};
  problem.total[0] = total[0];
  if (group != nullptr) {
    problem.box.group = {group, size};
    problem.total[1] = total[1];
  }
  if (ridge != nullptr) problem.ridge = {ridge, size};
  return problem;
}

void put(const svm::Certificate& certificate, double* numbers) {
  numbers[LAB_PRIMAL] = certificate.primal;
  numbers[LAB_DUAL] = certificate.dual;
  numbers[LAB_GAP] = certificate.gap;
  numbers[LAB_VIOLATION] = certificate.violation;
  numbers[LAB_BOUND] = certificate.bound;
  numbers[LAB_CONVEX] = certificate.convex;
  std::copy_n(certificate.intercept.data(), svm::kGroups, numbers + LAB_MULTIPLIER);
  numbers[LAB_SUPPORT] = static_cast<double>(certificate.support);
}

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
        problem_of(variables, target, lower, upper, epsilon, group, total, ridge);
    svm::Settings settings{.tol_violation = tol};
    if (max_steps >= 0) settings.max_steps = static_cast<int64_t>(max_steps);
    const size_t size = start != nullptr ? static_cast<size_t>(variables) : 0;
    svm::Monitor monitor;
    const svm::Solution found = svm::solve(*data.gram, problem, settings, {start, size}, monitor);
    std::ranges::copy(found.beta, beta);
    std::ranges::copy(found.gradient, gradient);
    put(found.certificate, numbers);
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
        problem_of(variables, target, lower, upper, epsilon, group, total, ridge);
    svm::Monitor monitor;
    put(svm::certify(*data.gram, problem, {beta, static_cast<size_t>(variables)}, 1, monitor),
        numbers);
  });
}

int lab_decision(const double* x, const double* coef, int32_t n, int32_t d, const double* kernel,
                 double intercept, const double* points, int32_t count, double* out) {
  return lab::guarded([&] {
    const Rows centres = rows_of(x, n, d), asked = rows_of(points, count, d);
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
