#include "linear/crammer_singer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linear/certificate.h"
#include "linear/cholesky.h"
#include "linear/class_weights.h"

namespace svm::linear::crammer_singer {
namespace {

// beta of a row's own class: what the other classes have.
double own_beta(const double* share, int64_t classes, int64_t y, double C) {
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) sum += c == y ? 0 : share[c];
  return std::min(sum, C);
}

// The terms of one row.
Terms row_terms(const double* score, const double* share, int64_t classes, int64_t y, double C) {
  double highest = score[y];
  for (int64_t c = 0; c < classes; ++c) highest = std::max(highest, score[c] + (c != y));
  Terms terms;
  terms.loss = C * (highest - score[y]);
  terms.dual = own_beta(share, classes, y, C);
  for (int64_t c = 0; c < classes; ++c) {
    if (share[c] == 0) continue;
    const double below = highest - (score[c] + (c != y));
    terms.difference += share[c] * below;
    terms.violation = std::max(terms.violation, below);
  }
  terms.support = terms.dual != 0;
  return terms;
}

bool all_scores(const Problem& problem, const Primal& primal, std::vector<double>& out,
                const Workers& workers) {
  const auto weights = ClassWeights::make(problem.points, problem.classes);
  weights->set(primal.w);
  const int64_t classes = problem.classes;
  out.resize(problem.size() * classes);
  return in_blocks(problem.size(), 256, workers, [&](int64_t begin, int64_t end) {
    weights->scores(problem.sample.index.subspan(begin, end - begin), out.data() + begin * classes);
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t c = 0; c < classes; ++c) out[i * classes + c] += primal.b[c];
    }
  });
}

// What errors of the scores can do to the difference of a row: nothing to the share of the highest
// class, if it stays that, and twice the error to the rest.
double row_rounding(const double* score, const double* share, int64_t classes, int64_t y, double C,
                    double error) {
  int64_t first = y;
  const auto level = [&](int64_t c) { return score[c] + (c != y); };
  for (int64_t c = 0; c < classes; ++c) first = level(c) > level(first) ? c : first;
  bool alone = true;
  for (int64_t c = 0; c < classes; ++c) {
    alone = alone && (c == first || level(c) < level(first) - 2 * error);
  }
  return 2 * error * (alone ? C - share[first] : C);
}

// What rounding can do to a certificate: also to the violation, a difference of two scores at
// X'beta, sums of n and of d products one after the other.
struct Errors {
  Rounding gap;
  double violation = 0;
};
Errors errors(const Problem& problem, const Primal& primal, const std::vector<double>& scores,
              const std::vector<double>& share) {
  const int64_t classes = problem.classes;
  const double weights = std::sqrt(squared_norm(primal.w));
  double sum = 0, largest = 0, constant = 1;
  for (const double b : primal.b) constant = std::max(constant, std::abs(b));
  Errors found;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const int64_t row = problem.sample.index[i], y = problem.label[i];
    const double norm = std::sqrt(problem.points.squared_norm(row));
    largest = std::max(largest, norm);
    sum += own_beta(share.data() + i * classes, classes, y, problem.C[i]) * norm;
    const auto additions = static_cast<double>(problem.sample.rows.entries(row) + 2);
    found.gap.losses +=
        row_rounding(scores.data() + i * classes, share.data() + i * classes, classes, y,
                     problem.C[i], 0x1p-53 * (additions * norm * weights + 4 * constant));
  }
  const auto additions = static_cast<double>(combine_additions(problem.sample) + problem.columns());
  found.gap.weights = 2 * 0x1p-53 * additions * sum;
  found.violation = 2 * found.gap.weights * largest;
  return found;
}

// How far the shares of each class are above what its rows have.
std::vector<double> excess(const Problem& problem, const std::vector<double>& share) {
  std::vector<double> out = sums(problem, exact_beta(problem, share));
  for (double& r : out) r = -r;
  return out;
}

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

// One step of proportional fitting: share_ic (1 + z_c - mean of z in row i), with the z that the
// sums need to first order, L z = -excess, L = sum_i [diag(share_i) - share_i share_i' / C_i].
// Rows keep their sum, and zeros stay zero. False where there is nothing to gain.
bool fit_sums(const Problem& problem, const std::vector<double>& rest, std::vector<double>& share) {
  const int64_t classes = problem.classes, order = padded(classes);
  std::vector<double> laplacian(order * order), z(order);
  std::vector<int64_t> held;
  const auto listed = [&](int64_t i) {
    const double* s = share.data() + i * classes;
    held.clear();
    for (int64_t c = 0; c < classes; ++c) {
      if (s[c] != 0) held.push_back(c);
    }
    return held.size() > 1;
  };
  for (int64_t i = 0; i < problem.size(); ++i) {
    if (!listed(i)) continue;
    const double* s = share.data() + i * classes;
    for (const int64_t c : held) {
      laplacian[c * order + c] += s[c];
      for (const int64_t e : held) laplacian[c * order + e] -= s[c] * s[e] / problem.C[i];
    }
  }
  double trace = 0;
  for (int64_t c = 0; c < order; ++c) trace += laplacian[c * order + c];
  if (!(trace > 0)) return false;
  for (int64_t c = 0; c < order; ++c) laplacian[c * order + c] += 1e-12 * trace;
  for (int64_t c = 0; c < classes; ++c) z[c] = -rest[c];
  Monitor quiet;
  factorize(laplacian.data(), order, order, {1, quiet});
  solve_factored(laplacian.data(), order, order, z.data());
  const auto mean = [&](int64_t i) {
    double sum = 0;
    for (const int64_t c : held) sum += share[i * classes + c] * z[c];
    return sum / problem.C[i];
  };
  double steepest = 0;
  for (int64_t i = 0; i < problem.size(); ++i) {
    if (!listed(i)) continue;
    const double m = mean(i);
    for (const int64_t c : held) steepest = std::max(steepest, m - z[c]);
  }
  const double step = std::min(1.0, 0.9 / steepest);
  if (!(step > 1e-3)) return false;
  for (int64_t i = 0; i < problem.size(); ++i) {
    if (!listed(i)) continue;
    const double m = mean(i);
    for (const int64_t c : held) share[i * classes + c] *= 1 + step * (z[c] - m);
  }
  return true;
}

// Takes shares of classes that have too much and gives them to those that have too little, in rows
// where both have some or in any.
void hand_over(const Problem& problem, bool any, std::vector<double>& rest,
               std::vector<double>& share) {
  const int64_t classes = problem.classes;
  for (int64_t i = 0; i < problem.size(); ++i) {
    double* s = share.data() + i * classes;
    for (int64_t from = 0; from < classes; ++from) {
      for (int64_t to = 0; to < classes && s[from] > 0 && rest[from] > 0; ++to) {
        if (rest[to] >= 0 || (!any && s[to] == 0)) continue;
        const double moved = std::min({s[from], rest[from], -rest[to]});
        s[from] -= moved;
        s[to] = std::min(s[to] + moved, problem.C[i]);
        rest[from] -= moved;
        rest[to] += moved;
      }
    }
  }
}

}  // namespace

Terms& Terms::operator+=(const Terms& o) {
  loss += o.loss;
  dual += o.dual;
  difference += o.difference;
  violation = std::max(violation, o.violation);
  support += o.support;
  return *this;
}

std::vector<double> first_share(const Problem& problem) {
  std::vector<double> share(problem.size() * problem.classes);
  for (int64_t i = 0; i < problem.size(); ++i) {
    share[i * problem.classes + problem.label[i]] = problem.C[i];
  }
  return share;
}

std::vector<double> reflect(const Problem& problem, const std::vector<double>& values) {
  std::vector<double> out(values.size());
  for (size_t q = 0; q < values.size(); ++q) out[q] = values[q] == 0 ? 0 : -values[q];
  for (int64_t i = 0; i < problem.size(); ++i) {
    const int64_t own = i * problem.classes + problem.label[i];
    out[own] = problem.C[i] - values[own];
  }
  return out;
}

std::vector<double> exact_beta(const Problem& problem, const std::vector<double>& share) {
  std::vector<double> beta = reflect(problem, share);
  for (int64_t i = 0; i < problem.size(); ++i) {
    const int64_t at = i * problem.classes, y = problem.label[i];
    beta[at + y] = own_beta(share.data() + at, problem.classes, y, problem.C[i]);
  }
  return beta;
}

std::vector<double> sums(const Problem& problem, const std::vector<double>& beta) {
  std::vector<double> out(problem.classes);
  for (int64_t i = 0; i < problem.size(); ++i) {
    for (int64_t c = 0; c < problem.classes; ++c) out[c] += beta[i * problem.classes + c];
  }
  return out;
}

bool combine(const Problem& problem, const std::vector<double>& beta, std::vector<double>& w,
             const Workers& workers) {
  const int64_t n = problem.size(), classes = problem.classes;
  w.resize(classes * problem.columns());
  std::vector<double> own(n), one;
  for (int64_t c = 0; c < classes; ++c) {
    for (int64_t i = 0; i < n; ++i) own[i] = beta[i * classes + c];
    if (!linear::combine(problem.sample, own.data(), one, workers)) return false;
    std::copy(one.begin(), one.end(), w.begin() + c * problem.columns());
  }
  return true;
}

Terms compare(const Problem& problem, const std::vector<double>& scores,
              const std::vector<double>& share, const Workers& workers) {
  const int64_t classes = problem.classes;
  return sum_blocks<Terms>(problem.size(), workers, [&](int64_t begin, int64_t end) {
    Terms sum;
    for (int64_t i = begin; i < end; ++i) {
      sum += row_terms(scores.data() + i * classes, share.data() + i * classes, classes,
                       problem.label[i], problem.C[i]);
    }
    return sum;
  });
}

Certificate judge(const Problem& problem, const Primal& primal, const Terms& terms,
                  const std::vector<double>& dual_w, const std::vector<double>& sums) {
  const double p = problem.intercept.present ? problem.intercept.penalty : 0;
  double difference = terms.difference + squared_distance(primal.w, dual_w) / 2;
  Certificate result;
  result.primal = squared_norm(primal.w) / 2 + p / 2 * squared_norm(primal.b) + terms.loss;
  result.dual = terms.dual - squared_norm(dual_w) / 2;
  for (int64_t c = 0; p > 0 && c < problem.classes; ++c) {
    result.dual -= sums[c] * sums[c] / (2 * p);
    difference += p / 2 * (primal.b[c] - sums[c] / p) * (primal.b[c] - sums[c] / p);
  }
  const double size = std::max(std::abs(result.primal), std::abs(result.dual));
  result.gap = difference == 0 ? 0 : difference / size;
  if (!std::isfinite(result.gap)) result.gap = kInfinity;
  result.support = terms.support;
  result.violation = std::numeric_limits<double>::quiet_NaN();  // it takes a pass of its own
  return result;
}

Certificate certify(const Problem& problem, const Primal& primal, const std::vector<double>& share,
                    const Workers& workers) {
  Primal own;  // that belongs to the dual point
  std::vector<double> scores;
  const std::vector<double> beta = exact_beta(problem, share);
  if (!combine(problem, beta, own.w, workers)) return {};
  const std::vector<double> sum = sums(problem, beta);
  if (!all_scores(problem, primal, scores, workers)) return {};
  const Terms terms = compare(problem, scores, share, workers);
  Certificate result = judge(problem, primal, terms, own.w, sum);
  const double distance = std::sqrt(squared_distance(primal.w, own.w));
  const Errors error = errors(problem, primal, scores, share);
  own.b = primal.b;
  const double p = problem.intercept.penalty;
  for (int64_t c = 0; p > 0 && c < problem.classes; ++c) own.b[c] = sum[c] / p;
  if (!all_scores(problem, own, scores, workers)) return {};
  result.violation = compare(problem, scores, share, workers).violation;
  result.bound = error.violation;
  count_rounding(distance, error.gap, result);
  return result;
}

void balance(const Problem& problem, std::vector<double>& share) {
  if (!problem.free_intercept()) return;
  double size = 0;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double* s = share.data() + i * problem.classes;
    size += own_beta(s, problem.classes, problem.label[i], problem.C[i]);
  }
  std::vector<double> rest = excess(problem, share);
  const auto even = [&] { return largest_size(rest) <= 1e-16 * size; };
  for (int round = 0; round < 12 && !even(); ++round) {
    const double before = largest_size(rest);
    if (!fit_sums(problem, rest, share)) break;
    rest = excess(problem, share);
    if (largest_size(rest) > 0.5 * before) break;
  }
  for (const bool any : {false, true}) {
    if (!even()) hand_over(problem, any, rest, share);
  }
  for (int64_t i = 0; i < problem.size(); ++i) {  // what rounding has taken from the rows
    double* s = share.data() + i * problem.classes;
    const int64_t y = problem.label[i];
    s[y] = problem.C[i] - own_beta(s, problem.classes, y, problem.C[i]);
  }
}

namespace {

// Where rounding is all that the gap lacks, weights a hair larger.
void enlarge(const Problem& problem, const Settings& settings, Solution& solution,
             const Workers& workers) {
  for (const double hair : kHairs) {
    if (solution.certificate.gap <= settings.tol_gap) return;
    Primal larger = solution.primal;
    for (auto* numbers : {&larger.w, &larger.b}) {
      for (double& x : *numbers) x *= 1 + hair;
    }
    const Certificate found = certify(problem, larger, solution.share, workers);
    if (!(found.gap < solution.certificate.gap)) continue;
    solution.primal = std::move(larger);
    solution.certificate = found;
  }
}

void conclude(const Problem& problem, const Settings& settings, Status status,
              const Monitor& monitor, Trace& trace, Solution& solution) {
  const double before = monitor.seconds();
  Monitor quiet;
  const Workers workers{settings.threads, quiet};
  balance(problem, solution.share);
  if (problem.free_intercept()) {  // only differences matter
    const double mean = total(solution.primal.b) / static_cast<double>(problem.classes);
    for (double& b : solution.primal.b) b -= mean;
  }
  solution.certificate = certify(problem, solution.primal, solution.share, workers);
  if (solution.certificate.dual < 0) {  // no beta at all is better than that
    solution.share = first_share(problem);
    solution.certificate = certify(problem, solution.primal, solution.share, workers);
  }
  if (status == Status::optimal) enlarge(problem, settings, solution, workers);
  const Certificate& found = solution.certificate;
  const bool good = found.gap <= settings.tol_gap;
  if (good) status = Status::optimal;
  solution.status = !good && status == Status::optimal ? Status::precision : status;
  solution.seconds = monitor.seconds();
  solution.certificate_seconds = solution.seconds - before;
  trace.finish(found, solution.steps);
  solution.trace = trace.take();
}

}  // namespace

Solution solve(const Problem& problem, const Settings& settings, Monitor& monitor) {
  Solution solution;
  Trace trace(monitor);
  solution.primal.w.assign(problem.classes * problem.columns(), 0.0);
  solution.primal.b.assign(problem.classes, 0.0);
  solution.share = first_share(problem);
  bool undecided = false;
  Status status = descend(problem, settings, monitor, trace, solution, &undecided);
  if (undecided) status = newton(problem, settings, monitor, trace, solution);
  conclude(problem, settings, status, monitor, trace, solution);
  return solution;
}

}  // namespace svm::linear::crammer_singer
