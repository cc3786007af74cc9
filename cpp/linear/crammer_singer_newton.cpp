// Newton steps on the primal. The loss is smoothed by the proximal step of the dual about a centre,
//
//   share_i = nearest point of row i's simplex to centre_i + sigma C_i l_i,
//
// whose shares become the next centre while sigma grows. With s the scores, A the classes of a row
// that have a share and a their number, the second derivative of the smoothed loss of a row in s is
// sigma C_i (I_A - 1 1' / a), so that the system of all weights is
//
//   H = diag(1, .., p) + sum_i sigma C_i (I_A - 1 1' / a) kron (x_i, 1)(x_i, 1)'.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/cholesky.h"
#include "linear/class_weights.h"
#include "linear/crammer_singer.h"
#include "linear/simplex.h"
#include "linear/solve.h"

namespace svm::linear::crammer_singer {
namespace {

constexpr int64_t kMostSteps = 500;
constexpr double kGrowth = 3;
// The centre moves when |gradient|^2 / 2 is at most this share of what the smoothing costs.
constexpr double kSolved = 0.3;
constexpr int kMostInner = 60;
// Steps without progress after which there is nothing to gain.
constexpr int kStalled = 8;
constexpr int64_t kMostProducts = 120;
// The largest order of a matrix that is formed.
constexpr int64_t kMostOrder = 1536;

double product(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0;
  for (size_t j = 0; j < u.size(); ++j) sum += u[j] * v[j];
  return sum;
}

class Newton {
 public:
  Newton(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
         Solution& best)
      : problem_(problem),
        settings_(settings),
        monitor_(monitor),
        workers_{paying_threads(problem.sample, settings.threads), monitor},
        trace_(trace),
        best_(best),
        n_(problem.size()),
        d_(problem.columns()),
        classes_(problem.classes),
        point_(best.primal),
        centre_(best.share),
        scores_(n_ * classes_),
        share_(n_ * classes_),
        places_(n_ * classes_),
        counts_(n_) {
    double C = 0, used = 0, of = 0, norms = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const double beta = problem.C[i] - centre_[i * classes_ + problem.label[i]];
      C += problem.C[i];
      used += beta;
      of += beta > 0 ? problem.C[i] : 0;
      norms += problem.points.squared_norm(problem.sample.index[i]);
    }
    // The smoothing is as wide as the levels are apart on average, and as steep as shares move:
    // as they have moved, or as one row alone would move its own.
    const Certificate& found = best.certificate;
    const double apart = found.gap * std::max(std::abs(found.primal), std::abs(found.dual)) / C;
    const double steep = of > 0 ? used / of : static_cast<double>(n_ * n_) / (norms * C + 1e-300);
    sigma_ = std::max(std::min(steep, 1.0), 1e-9) / std::clamp(10 * apart, 1e-3, 1.0);
  }

  Status run() {
    if (!multiply(point_, scores_)) return Status::stopped;
    int inner = 0, stalled = 0;
    while (best_.steps < limit()) {
      const double before = best_.certificate.gap;
      if (!evaluate()) return Status::stopped;
      if (best_.certificate.gap <= target()) return Status::optimal;
      stalled = best_.certificate.gap < 0.9 * before ? 0 : stalled + 1;
      if (stalled > kStalled && best_.certificate.gap <= settings_.tol_gap) break;
      if (rest_ <= kSolved * smoothing_ || ++inner > kMostInner) {
        inner = 0;
        centre_ = share_;
        sigma_ = std::min(kGrowth * sigma_, 1e12);
        if (!evaluate_shares() || !find_gradient()) return Status::stopped;
      }
      if (!move()) return Status::stopped;
      ++best_.steps;
      ++best_.newton_steps;
    }
    return best_.certificate.gap <= settings_.tol_gap ? Status::optimal
           : best_.steps >= limit()                   ? Status::max_iterations
                                                      : Status::precision;
  }

 private:
  // Of all steps, those of descent included.
  int64_t limit() const { return settings_.max_steps.value_or(first_ + kMostSteps); }
  double target() const { return newton_work(problem_).exact ? 1e-15 : settings_.tol_gap; }
  bool ones() const { return problem_.intercept.present; }

  // out = scores at a point, and at a direction
  bool multiply(const Primal& at, std::vector<double>& out) {
    if (!weights_) weights_ = ClassWeights::make(problem_.points, classes_);
    weights_->set(at.w);
    return in_blocks(n_, 256, workers_, [&](int64_t begin, int64_t end) {
      weights_->scores(problem_.sample.index.subspan(begin, end - begin),
                       out.data() + begin * classes_);
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t c = 0; c < classes_; ++c) out[i * classes_ + c] += at.b[c];
      }
    });
  }

  // The smoothed shares of a row at scores s + step * delta.
  int64_t smooth(int64_t i, const double* s, const double* delta, double step, double* share,
                 int32_t* places) const {
    const double* centre = centre_.data() + i * classes_;
    const double C = problem_.C[i], slope = sigma_ * C;
    double highest = -kInfinity;
    for (int64_t c = 0; c < classes_; ++c) {
      share[c] = s[c] + (delta != nullptr ? step * delta[c] : 0) + (c != problem_.label[i]);
      highest = std::max(highest, share[c]);
    }
    for (int64_t c = 0; c < classes_; ++c) share[c] = centre[c] + slope * (share[c] - highest);
    return project_simplex(share, classes_, C, places);
  }

  bool evaluate_shares() {
    return in_blocks(n_, 1024, workers_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i * classes_;
        counts_[i] =
            smooth(i, scores_.data() + at, nullptr, 0, share_.data() + at, places_.data() + at);
      }
    });
  }

  // The gradient of the smoothed objective: w - X'beta, p b - 1'beta.
  bool find_gradient() {
    const std::vector<double> beta = reflect(problem_, share_);
    if (!combine(problem_, beta, dual_w_, workers_)) return false;
    sums_ = sums(problem_, beta);
    gradient_ = point_;
    for (size_t j = 0; j < dual_w_.size(); ++j) gradient_.w[j] -= dual_w_[j];
    for (int64_t c = 0; c < classes_; ++c) {
      gradient_.b[c] = ones() ? problem_.intercept.penalty * point_.b[c] - sums_[c] : 0;
    }
    return true;
  }

  // Shares, gradient and gap at the present point.
  bool evaluate() {
    if (!evaluate_shares() || !find_gradient()) return false;
    smoothing_ = compare(problem_, scores_, share_, workers_).difference;
    std::vector<double> share, w;
    if (problem_.free_intercept()) {
      share = share_;
      balance(problem_, share);
      if (!combine(problem_, exact_beta(problem_, share), w, workers_)) return false;
    }
    const bool same = share.empty();
    const std::vector<double>& dual = same ? share_ : share;
    const Terms terms = compare(problem_, scores_, dual, workers_);
    const Certificate found = judge(problem_, point_, terms, same ? dual_w_ : w,
                                    same ? sums_ : std::vector<double>(classes_));
    if (monitor_.stopped()) return false;
    const double size = std::max(std::abs(found.primal), std::abs(found.dual));
    rest_ = std::max(0.0, found.gap * size - smoothing_);
    if (found.gap < best_.certificate.gap) {
      best_.certificate = found;
      best_.primal = point_;
      best_.share = dual;
    }
    trace_.observe(found, best_.steps);
    return true;
  }

  // A step along Newton's direction, to where the derivative along it is about zero.
  bool move() {
    Primal direction;
    const bool solved = order() <= kMostOrder ? solve_matrix(direction) : solve_products(direction);
    if (!solved) return false;
    std::vector<double> delta(n_ * classes_);
    if (!multiply(direction, delta)) return false;
    const double p = ones() ? problem_.intercept.penalty : 0;
    const double linear = product(point_.w, direction.w) + p * product(point_.b, direction.b);
    const double square = product(direction.w, direction.w) + p * product(direction.b, direction.b);
    const auto derivative = [&](double step) { return linear + step * square - pull(delta, step); };
    const double first = derivative(0);
    double low = 0, high = 1, value = derivative(high);
    double at_low = first;
    for (int round = 0; round < 4 && value < 0.1 * first; ++round) {
      low = high;
      at_low = value;
      high *= 2;
      value = derivative(high);
    }
    double step = high;
    for (int round = 0; round < 20 && std::abs(value) > -0.1 * first && low < high; ++round) {
      // Between the secant and the middle, so that neither end stays for long.
      const double share = std::clamp(at_low / (at_low - value), 0.1, 0.9);
      const double next = value > 0 ? low + share * (high - low) : (low + high) / 2;
      const double found = derivative(next);
      step = next;
      if (std::abs(found) <= -0.1 * first) break;
      if (found < 0) {
        low = next;
        at_low = found;
      } else {
        high = next;
        value = found;
      }
    }
    if (monitor_.stopped()) return false;
    for (size_t j = 0; j < point_.w.size(); ++j) point_.w[j] += step * direction.w[j];
    for (int64_t c = 0; c < classes_; ++c) point_.b[c] += step * direction.b[c];
    for (size_t q = 0; q < scores_.size(); ++q) scores_[q] += step * delta[q];
    return true;
  }

  // sum_i beta_i(s + step delta)'delta_i
  double pull(const std::vector<double>& delta, double step) const {
    return sum_blocks<double>(n_, workers_, [&](int64_t begin, int64_t end) {
      std::vector<double> share(classes_);
      std::vector<int32_t> places(classes_);
      double sum = 0;
      for (int64_t i = begin; i < end; ++i) {
        const double* change = delta.data() + i * classes_;
        const int64_t count =
            smooth(i, scores_.data() + i * classes_, change, step, share.data(), places.data());
        double own = problem_.C[i] * change[problem_.label[i]];
        for (int64_t q = 0; q < count; ++q) own -= share[places[q]] * change[places[q]];
        sum += own;
      }
      return sum;
    });
  }

  // ---- The direction from the matrix H itself ---------------------------------------------------

  int64_t block() const { return d_ + ones(); }
  int64_t order() const { return padded(classes_ * block()); }

  bool solve_matrix(Primal& direction) {
    const int64_t stride = order(), D = block();
    matrix_.assign(stride * stride, 0.0);
    if (!add_rows()) return false;
    double curvature = 0;  // of the intercepts
    for (int64_t c = 0; ones() && c < classes_; ++c) {
      curvature += matrix_[(c * D + d_) * (stride + 1)];
    }
    for (int64_t q = 0; q < stride; ++q) {
      const bool intercept = ones() && q < classes_ * D && q % D == d_;
      // A free intercept has no other curvature than the rows', and all of them together none.
      const double least = 1e-9 * curvature / static_cast<double>(classes_) + 1e-300;
      matrix_[q * (stride + 1)] += intercept ? std::max(problem_.intercept.penalty, least) : 1;
    }
    std::vector<double> x(stride);
    for (int64_t c = 0; c < classes_; ++c) {
      for (int64_t j = 0; j < d_; ++j) x[c * D + j] = -gradient_.w[c * d_ + j];
      if (ones()) x[c * D + d_] = -gradient_.b[c];
    }
    if (!factorize(matrix_.data(), stride, stride, workers_)) return false;
    solve_factored(matrix_.data(), stride, stride, x.data());
    direction.w.resize(classes_ * d_);
    direction.b.assign(classes_, 0.0);
    for (int64_t c = 0; c < classes_; ++c) {
      std::copy_n(x.begin() + c * D, d_, direction.w.begin() + c * d_);
      if (ones()) direction.b[c] = x[c * D + d_];
    }
    return true;
  }

  // For each pair of classes, the rows where both have a share.
  bool add_rows() {
    struct Rows {
      std::vector<int64_t> index;
      std::vector<double> weight;
    };
    std::vector<Rows> pairs(classes_ * classes_);
    for (int64_t i = 0; i < n_; ++i) {
      const int32_t* places = places_.data() + i * classes_;
      const double slope = sigma_ * problem_.C[i], a = static_cast<double>(counts_[i]);
      for (int64_t q = 0; counts_[i] > 1 && q < counts_[i]; ++q) {
        for (int64_t r = q; r < counts_[i]; ++r) {
          Rows& rows = pairs[places[q] * classes_ + places[r]];
          rows.index.push_back(problem_.sample.index[i]);
          rows.weight.push_back(slope * (q == r ? 1 - 1 / a : 1 / a));
        }
      }
    }
    const int64_t side = gram_order(d_, ones());
    return workers_.run(classes_ * classes_, [&](int64_t pair) {
      const Rows& rows = pairs[pair];
      if (rows.index.empty()) return;
      const int64_t c = pair / classes_, e = pair % classes_;
      std::vector<double> gram(side * side);
      const RowProducts& all = problem_.sample.rows;
      for (int64_t tile = 0; tile < all.gram_tiles(ones()); ++tile) {
        all.add_gram(rows.index, rows.weight.data(), tile, ones(), gram.data());
      }
      add_block(c, e, gram, side);
    });
  }

  void add_block(int64_t c, int64_t e, const std::vector<double>& gram, int64_t side) {
    const int64_t D = block(), stride = order();
    double* to = matrix_.data() + c * D * stride + e * D;
    for (int64_t j = 0; j < D; ++j) {
      for (int64_t l = j; l < D; ++l) {
        const double value = (c == e ? 1 : -1) * gram[j * side + l];
        to[j * stride + l] += value;
        if (c != e && l != j) to[l * stride + j] += value;
      }
    }
  }

  // ---- The direction by conjugate gradients on products with the rows ---------------------------

  bool solve_products(Primal& direction) {
    direction = {std::vector<double>(classes_ * d_), std::vector<double>(classes_)};
    Primal residual = gradient_, search, image;
    for (double& r : residual.w) r = -r;
    for (double& r : residual.b) r = -r;
    search = residual;
    const auto inner = [](const Primal& u, const Primal& v) {
      return product(u.w, v.w) + product(u.b, v.b);
    };
    const auto add = [](Primal& to, double factor, const Primal& v) {
      for (size_t j = 0; j < to.w.size(); ++j) to.w[j] += factor * v.w[j];
      for (size_t c = 0; c < to.b.size(); ++c) to.b[c] += factor * v.b[c];
    };
    list_curved();
    double size = inner(residual, residual);
    const double enough = 1e-4 * size;
    for (int64_t round = 0; round < kMostProducts && size > enough; ++round) {
      if (!curve(search, image)) return false;
      const double step = size / inner(search, image);
      add(direction, step, search);
      add(residual, -step, image);
      const double next = inner(residual, residual);
      for (double& s : search.w) s *= next / size;
      for (double& s : search.b) s *= next / size;
      add(search, 1, residual);
      size = next;
    }
    return true;
  }

  // The rows with curvature: those of several shares.
  void list_curved() {
    curved_.clear();
    curved_rows_.clear();
    for (int64_t i = 0; i < n_; ++i) {
      if (counts_[i] < 2) continue;
      curved_.push_back(i);
      curved_rows_.push_back(problem_.sample.index[i]);
    }
  }

  // image = H search
  bool curve(const Primal& search, Primal& image) {
    const auto m = static_cast<int64_t>(curved_.size());
    std::vector<double> delta(m * classes_);
    weights_->set(search.w);
    const bool scored = in_blocks(m, 256, workers_, [&](int64_t begin, int64_t end) {
      const std::span<const int64_t> rows(curved_rows_);
      weights_->scores(rows.subspan(begin, end - begin), delta.data() + begin * classes_);
      for (int64_t i = begin; i < end; ++i) bend(curved_[i], search.b, &delta[i * classes_]);
    });
    if (!scored) return false;
    const double p = problem_.intercept.penalty;
    image = search;
    for (double& b : image.b) b *= ones() ? std::max(p, 1e-12) : 1;
    std::vector<double> bent(m), sum;
    for (int64_t c = 0; c < classes_; ++c) {
      for (int64_t i = 0; i < m; ++i) bent[i] = delta[i * classes_ + c];
      const Sample rows{problem_.sample.rows, curved_rows_};
      if (!linear::combine(rows, bent.data(), sum, workers_)) return false;
      for (int64_t j = 0; j < d_; ++j) image.w[c * d_ + j] += sum[j];
      if (ones()) image.b[c] += total(bent);
    }
    return true;
  }

  // Scores of a row, without intercepts, become sigma C (I_A - 1 1' / a) of them.
  void bend(int64_t i, const std::vector<double>& b, double* delta) const {
    const int32_t* places = places_.data() + i * classes_;
    double mean = 0;
    for (int64_t q = 0; q < counts_[i]; ++q) {
      delta[places[q]] += b[places[q]];
      mean += delta[places[q]];
    }
    mean /= static_cast<double>(counts_[i]);
    int64_t q = 0;
    for (int64_t c = 0; c < classes_; ++c) {
      const bool held = q < counts_[i] && places[q] == c;
      delta[c] = held ? sigma_ * problem_.C[i] * (delta[c] - mean) : 0;
      q += held;
    }
  }

  const Problem& problem_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  Trace& trace_;
  Solution& best_;
  int64_t n_, d_, classes_;
  int64_t first_ = best_.steps;
  double sigma_ = 1;
  double smoothing_ = 0, rest_ = 0;  // the parts of P - D
  Primal point_, gradient_;
  std::vector<double> centre_, scores_, share_, dual_w_, sums_, matrix_;
  std::vector<int32_t> places_;  // classes with a share, of each row
  std::vector<int64_t> counts_;  // and how many these are
  std::vector<int64_t> curved_, curved_rows_;
  std::unique_ptr<ClassWeights> weights_;
};

}  // namespace

NewtonWork newton_work(const Problem& problem) {
  constexpr double kSteps = 25, kVector = 4;  // operations of matrices are quicker by this
  const auto order = static_cast<double>(problem.classes * (problem.columns() + 1));
  const auto d = static_cast<double>(problem.columns()), n = static_cast<double>(problem.size());
  const auto stored = static_cast<double>(problem.sample.stored());
  const double pass = stored * static_cast<double>(problem.classes);
  const bool matrix = order <= static_cast<double>(kMostOrder);
  const double system =
      matrix ? (order * order * order / 6 + n * d * d) / kVector : kMostProducts / 2 * pass;
  return {kSteps * (system + 4 * pass), matrix && pass <= static_cast<double>(kSmallEntries)};
}

Status newton(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
              Solution& solution) {
  return Newton(problem, settings, monitor, trace, solution).run();
}

}  // namespace svm::linear::crammer_singer
