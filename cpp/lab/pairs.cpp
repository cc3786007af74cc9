// Plain SMO through C.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dual/certificate.h"
#include "lab/data.h"
#include "lab/lab.h"
#include "lab/message.h"
#include "lab/plain_smo.h"

namespace {

// How good the point is, into the last columns of a row; and the whole state.
void put_state(const svm::DualProblem& problem, const lab::PlainSmo& smo, double* row,
               double* state) {
  const svm::Certificate c = svm::certify(problem, smo.beta().data(), smo.gradient().data(), 0.0);
  row[LAB_PAIR_DUAL] = c.dual;
  row[LAB_PAIR_PRIMAL] = c.primal;
  std::copy_n(c.intercept.data(), svm::kGroups, row + LAB_PAIR_MULTIPLIER);
  if (state == nullptr) return;
  for (const auto values : {smo.beta(), smo.gradient(), smo.scores()}) {
    state = std::ranges::copy(values, state).out;
  }
}

void put_step(const lab::PairStep& step, double* row) {
  row[LAB_PAIR_UP] = static_cast<double>(step.up);
  row[LAB_PAIR_DOWN] = static_cast<double>(step.down);
  row[LAB_PAIR_VIOLATION] = step.violation;
  row[LAB_PAIR_CURVATURE] = step.curvature;
  row[LAB_PAIR_FREE] = step.free;
  row[LAB_PAIR_ROOM] = step.room;
  row[LAB_PAIR_STEP] = step.step;
  row[LAB_PAIR_CLIPPED] = step.up_clipped + 2 * step.down_clipped;
  row[LAB_PAIR_GAIN] = step.gain;
}

}  // namespace

int lab_pair_steps(const double* x, int32_t n, int32_t d, const double* kernel, int32_t variables,
                   const double* target, const double* lower, const double* upper, double epsilon,
                   const uint8_t* group, const double* total, const double* ridge,
                   int32_t second_order, double tol, int32_t max_steps, const double* start,
                   double* steps, double* states, int32_t* count, double* left) {
  return lab::guarded([&] {
    const svm::DualProblem problem =
        lab::problem_of(variables, target, lower, upper, epsilon, group, total, ridge);
    std::vector<double> K(static_cast<size_t>(n) * n);
    if (lab_gram(x, n, d, kernel, K.data()) != 0) throw std::runtime_error(lab_message());
    std::vector<double> beta = lab::first_point(problem);
    if (start != nullptr) beta.assign(start, start + variables);
    const auto rule = second_order != 0 ? lab::PairRule::second_order : lab::PairRule::first_order;
    lab::PlainSmo smo(problem, K, n, rule, std::move(beta));
    put_state(problem, smo, steps, states);
    for (*count = 0; *count < max_steps; ++*count) {
      const auto step = smo.advance(tol);
      if (!step) break;
      steps += LAB_PAIR_COLUMNS;
      if (states != nullptr) states += 3 * variables;
      put_step(*step, steps);
      put_state(problem, smo, steps, states);
    }
    *left = smo.violation();
  });
}
