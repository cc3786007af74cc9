#include "dual/gradient_ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dual/certificate.h"
#include "dual/exact_gradient.h"
#include "kernel/expansion.h"

namespace svm {

bool GradientLedger::begin(const std::vector<double>& beta, std::vector<double>& f) {
  if (!exact_gradient(gram_, problem_, beta, all_rows(problem_.size()), f.data(), workers_)) {
    return false;
  }
  const double error = gradient_error(gram_, problem_, beta, chunked_additions(beta));
  known_ = {beta, f, std::vector<double>(f.size(), error), error};
  return true;
}

std::vector<double> GradientLedger::change_to(std::span<const double> beta) const {
  std::vector<double> change(beta.begin(), beta.end());
  for (size_t v = 0; v < change.size(); ++v) change[v] -= known_.beta[v];
  return change;
}

void GradientLedger::record_step(std::span<const int64_t> variables,
                                 std::span<const double> changes, const std::vector<double>& beta,
                                 std::vector<double>& f) {
  const std::vector<double> change = change_to(beta);
  step_ = {{}, beta, followed_error(change, count_support(change))};
  for (size_t k = 0; k < variables.size(); ++k) {
    if (!known_.exact(variables[k])) continue;
    f[variables[k]] = known_.f[variables[k]] + changes[k];
    step_.variables.push_back(variables[k]);
  }
}

void GradientLedger::forget_unless_at(const std::vector<double>& beta) {
  if (step_.beta != beta) step_ = {};
}

std::optional<double> GradientLedger::correct(const std::vector<double>& beta,
                                              std::span<const double> change, double drift,
                                              std::vector<double>& f) {
  // Following what is known adds only changes; but a sum over all variables for all of them costs
  // half.
  const bool follows =
      !step_.beta.empty() || 2 * count_support(change) <= count_support(known_.beta);
  std::vector<double> errors = known_.errors;
  for (double& error : errors) error += drift;
  std::vector<bool> exact(problem_.size(), false);
  for (const int64_t v : step_.variables) exact[v] = true;
  double largest = 0;
  // An exact f may move the intercept, and so the slopes of others.
  for (;;) {
    const auto [followed, fresh] = find_needed(beta, f, errors, follows, exact);
    if (followed.empty() && fresh.empty()) break;
    const std::vector<double> before = f;
    if (!follow(change, followed, f.data())) return std::nullopt;
    if (!exact_gradient(gram_, problem_, beta, fresh, f.data(), workers_)) return std::nullopt;
    for (size_t v = 0; v < f.size(); ++v) largest = std::max(largest, std::abs(f[v] - before[v]));
  }
  double error = gradient_error(gram_, problem_, beta, chunked_additions(beta));
  if (follows) {
    error = std::max({error, step_.error, followed_error(change, chunked_additions(change))});
  }
  for (size_t v = 0; v < errors.size(); ++v) {
    if (exact[v]) errors[v] = error;
  }
  known_ = {beta, f, std::move(errors), error};
  return largest;
}

GradientLedger::Needed GradientLedger::find_needed(std::span<const double> beta,
                                                   std::span<const double> f,
                                                   std::span<const double> errors, bool follow,
                                                   std::vector<bool>& exact) const {
  const Box& box = problem_.box;
  const auto level = best_intercepts(problem_, beta.data(), f.data());
  Needed needed;
  for (int64_t v = 0; v < problem_.size(); ++v) {
    if (exact[v]) continue;
    const double ridge = problem_.ridge_of(v), x = beta[v];
    const double r = ridge * x - f[v] - level[box.group_of(v)];
    const auto slope = [&](double at) {
      return loss_slope(at, box.lower[v], box.upper[v], box.epsilon, ridge);
    };
    if (x == 0 && slope(r - errors[v]) == 0 && slope(r + errors[v]) == 0) continue;
    (follow && known_.exact(v) ? needed.followed : needed.fresh).push_back(v);
    exact[v] = true;
  }
  return needed;
}

bool GradientLedger::follow(std::span<const double> change, std::span<const int64_t> variables,
                            double* f) const {
  std::vector<double> product;
  if (!exact_product(gram_, change, variables, product, workers_)) return false;
  for (size_t k = 0; k < variables.size(); ++k) {
    const int64_t v = variables[k];
    f[v] = known_.f[v] + product[k] + problem_.ridge_of(v) * change[v];
  }
  return true;
}

double GradientLedger::followed_error(std::span<const double> change, int64_t additions) const {
  double largest = 0;
  for (const double f : known_.f) largest = std::max(largest, std::abs(f));
  return known_.error + gradient_error(gram_, problem_, change, additions) + 0x1p-52 * largest;
}

double GradientLedger::error_after(double drift) const {
  return std::ranges::max(known_.errors) + drift + step_.error;
}

}  // namespace svm
