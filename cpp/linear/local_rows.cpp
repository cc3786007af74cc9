#include "linear/local_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/certificate.h"
#include "linear/subsample.h"

namespace svm::linear {
namespace {

// How dual variables have changed.
struct Change {
  int64_t rows = 0, support = 0;
  double total = 0;
  Change& operator+=(const Change& o) {
    rows += o.rows;
    support += o.support;
    total += o.total;
    return *this;
  }
};

Shape shape_of(const Problem& problem) {
  const Sample& sample = problem.sample;
  const Loss& loss = problem.loss;
  const auto* tube = dynamic_cast<const Tube*>(&loss);
  Shape shape{.rows = sample.size(),
              .columns = sample.columns(),
              .entries = sample.stored(),
              .additions = combine_additions(sample),
              .kinked = tube != nullptr && tube->kinked(),
              .intercept = problem.intercept,
              .scale = problem.scale};
  for (int64_t k = 0; k < shape.rows; ++k) {
    shape.box += std::max(-loss.lowest(k), loss.highest(k));
  }
  if (shape.rows > 0) {
    shape.divisible =
        sample.rows.section(sample.index.front()) == sample.rows.section(sample.index.back());
  }
  return shape;
}

// Some of the rows of a problem, with their numbers.
class PartRows : private Subsample, public LocalRows {
 public:
  PartRows(const Problem& whole, int64_t times, int threads, Monitor& monitor)
      : Subsample(whole, times),
        LocalRows(problem(), paying_threads(problem().sample, threads), monitor) {}
};

}  // namespace

double BoxedPoint::total() const { return linear::total(beta); }

bool BoxedPoint::inside(int64_t k) const {
  return beta[k] != 0 && beta[k] > problem.loss.lowest(k) && beta[k] < problem.loss.highest(k);
}

double BoxedPoint::room(int64_t k, double rest) const {
  const double r = rest > 0 ? beta[k] - problem.loss.lowest(k) : problem.loss.highest(k) - beta[k];
  return std::isfinite(r) ? r : std::max(std::abs(beta[k]), problem.scale);
}

Rooms BoxedPoint::rooms(double rest) const {
  Rooms sum;
  for (int64_t k = 0; k < problem.loss.size(); ++k) {
    const double own = room(k, rest);
    sum.size += std::abs(beta[k]);
    sum.all += own;
    if (inside(k)) sum.inside += own;
  }
  return sum;
}

void BoxedPoint::shift(double rest, double share, bool inside_only) {
  for (int64_t k = 0; k < problem.loss.size(); ++k) {
    if (inside_only && !inside(k)) continue;
    beta[k] = std::clamp(beta[k] - share * room(k, rest), problem.loss.lowest(k),
                         problem.loss.highest(k));
  }
}

Terms terms_of(const Problem& problem, const std::vector<double>& s,
               const std::vector<double>& beta, const Workers& workers) {
  return sum_blocks<Terms>(problem.sample.size(), workers, [&](int64_t begin, int64_t end) {
    return problem.loss.compare(begin, end, s.data(), beta.data());
  });
}

LocalRows::LocalRows(const Problem& problem, int threads, Monitor& monitor)
    : problem_(problem),
      sample_(problem.sample),
      loss_(problem.loss),
      threads_(threads),
      monitor_(&monitor),
      n_(sample_.size()),
      shape_(shape_of(problem)),
      s_(n_),
      beta_(n_),
      centre_(n_) {}

void LocalRows::begin_at(const std::vector<double>& beta) {
  for (int64_t k = 0; k < n_; ++k) {
    beta_[k] = std::clamp(beta[k], loss_.lowest(k), loss_.highest(k));
  }
  centre_ = beta_;
}

void LocalRows::prepare() {
  for (auto* numbers :
       {&delta_, &curvature_, &foreseen_, &best_, &candidate_, &combined_, &change_}) {
    numbers->resize(n_);
  }
  if (shape_.kinked) smooth(1);
  products_.emplace(sample_);
}

std::unique_ptr<RowPasses> LocalRows::part(int64_t times) {
  auto part = std::make_unique<PartRows>(problem_, times, threads_, *monitor_);
  part->prepare();
  return part;
}

bool LocalRows::score(const std::vector<double>& w, double b) {
  weights_ = std::sqrt(squared_norm(w));
  constant_ = std::abs(b);
  if (std::all_of(w.begin(), w.end(), [](double x) { return x == 0; })) {
    std::fill(s_.begin(), s_.end(), b);
    return !monitor_->stopped();
  }
  return multiply(sample_, w.data(), b, s_.data(), workers());
}

void LocalRows::smooth(double sigma) { dynamic_cast<Tube&>(loss_).smooth(sigma, centre_.data()); }

void LocalRows::centre_in_the_middle() {
  const auto& tube = dynamic_cast<const Tube&>(loss_);
  for (int64_t k = 0; k < n_; ++k) centre_[k] = tube.middle(k, s_[k]);
}

bool LocalRows::slopes(Terms& terms, DualSums& dual) {
  curvature_.resize(n_);
  terms = sum_blocks<Terms>(n_, workers(), [&](int64_t begin, int64_t end) {
    return loss_.slopes(begin, end, s_.data(), beta_.data(), curvature_.data());
  });
  return combine_changes(dual);
}

// X'beta and 1'beta: from the rows whose beta has changed since the last time, and now and then
// from all.
bool LocalRows::combine_changes(DualSums& dual) {
  constexpr int kRefresh = 16;
  combined_.resize(n_);
  change_.resize(n_);
  const Change change = sum_blocks<Change>(n_, workers(), [&](int64_t begin, int64_t end) {
    Change sum;
    for (int64_t k = begin; k < end; ++k) {
      change_[k] = beta_[k] - combined_[k];
      combined_[k] = beta_[k];
      sum.rows += change_[k] != 0;
      sum.support += beta_[k] != 0;
      sum.total += beta_[k];
    }
    return sum;
  });
  if (monitor_->stopped()) return false;
  if (++updates_ % kRefresh == 1 || 2 * change.rows > change.support) {
    if (!linear::combine(sample_, beta_.data(), combined_w_, workers())) return false;
  } else {
    std::vector<double> moved;
    if (!linear::combine(sample_, change_.data(), moved, workers())) return false;
    for (size_t j = 0; j < moved.size(); ++j) combined_w_[j] += moved[j];
  }
  dual.w = combined_w_;
  dual.sum = change.total;
  dual.support = change.support;
  return true;
}

const std::vector<double>* LocalRows::gram() {
  if (!gram_) gram_.emplace(sample_, shape_.intercept.present);
  return gram_->update(curvature_, loss_.quadratic(), workers()) ? &gram_->sum() : nullptr;
}

bool LocalRows::squares(std::vector<double>& out) {
  if (!products_) products_.emplace(sample_);
  return products_->squares(curvature_, out, workers());
}

bool LocalRows::product(const std::vector<double>& v, std::vector<double>& out) {
  return products_->product(loss_.factor(), v, out, workers());
}

bool LocalRows::aim(const std::vector<double>& direction) {
  delta_.resize(n_);
  const double db = shape_.intercept.present ? direction.back() : 0;
  return multiply(sample_, direction.data(), db, delta_.data(), workers());
}

std::vector<Slope> LocalRows::along(const std::vector<double>& steps) {
  std::vector<Slope> found;
  for (const double step : steps) {
    found.push_back(sum_blocks<Slope>(n_, workers(), [&](int64_t begin, int64_t end) {
      return loss_.along(begin, end, s_.data(), beta_.data(), delta_.data(), step);
    }));
  }
  return found;
}

// Nothing stops this: the scores stay those of w.
void LocalRows::advance(double step) {
  parallel_for((n_ + kVectorBlock - 1) / kVectorBlock, threads_, [&](int64_t block) {
    const int64_t end = std::min(n_, (block + 1) * kVectorBlock);
    for (int64_t k = block * kVectorBlock; k < end; ++k) s_[k] += step * delta_[k];
  });
}

bool LocalRows::foresee(Foresight& found) {
  foreseen_.resize(n_);
  const Foreseen rows{beta_.data(),   curvature_.data(), delta_.data(),
                      loss_.factor(), foreseen_.data(),  change_.data()};
  found.sum = sum_blocks<double>(n_, workers(), [&](int64_t begin, int64_t end) {
    loss_.foresee(begin, end, rows);
    return std::accumulate(foreseen_.begin() + begin, foreseen_.begin() + end, 0.0);
  });
  if (monitor_->stopped()) return false;
  if (!linear::combine(sample_, change_.data(), found.clipped, workers())) return false;
  found.terms = terms_of(problem_, s_, foreseen_, workers());
  return true;
}

const std::vector<double>& LocalRows::beta_of(Point point) const {
  if (point == Point::current) return beta_;
  return point == Point::foreseen ? foreseen_ : best_;
}

bool LocalRows::combine(DualSums& dual) {
  dual.sum = total();
  dual.support = n_ - std::count(candidate_.begin(), candidate_.end(), 0.0);
  return linear::combine(sample_, candidate_.data(), dual.w, workers());
}

Terms LocalRows::compare() { return terms_of(problem_, s_, candidate_, workers()); }

bool LocalRows::costs(const std::vector<double>& w, Costs& costs) {
  std::vector<double> scores(n_);
  if (!multiply(sample_, w.data(), 0, scores.data(), workers())) return false;
  costs = sum_blocks<Costs>(n_, workers(), [&](int64_t begin, int64_t end) {
    return loss_.costs(begin, end, scores.data(), candidate_.data());
  });
  return !monitor_->stopped();
}

const std::vector<double>& LocalRows::norms() {
  if (!norms_.empty()) return norms_;
  norms_.resize(n_);
  parallel_for((n_ + kVectorBlock - 1) / kVectorBlock, threads_, [&](int64_t block) {
    const int64_t end = std::min(n_, (block + 1) * kVectorBlock);
    for (int64_t k = block * kVectorBlock; k < end; ++k) {
      norms_[k] = std::sqrt(sample_.rows.squared_norm(sample_.index[k]));
    }
  });
  return norms_;
}

Reach LocalRows::reach() {
  const std::vector<double>& norm = norms();
  return sum_blocks<Reach>(n_, workers(), [&](int64_t begin, int64_t end) {
    Reach part;
    for (int64_t k = begin; k < end; ++k) part += {std::abs(candidate_[k]) * norm[k], norm[k]};
    return part;
  });
}

// A score is a sum of products, one after the other, and the intercept.
double LocalRows::rounding() {
  const std::vector<double>& norm = norms();
  std::vector<double> errors(n_);
  return sum_blocks<double>(n_, workers(), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const auto additions = static_cast<double>(sample_.rows.entries(sample_.index[k]) + 2);
      errors[k] = 0x1p-53 * (additions * norm[k] * weights_ + 2 * constant_);
    }
    return loss_.rounding(begin, end, s_.data(), candidate_.data(), errors.data());
  });
}

}  // namespace svm::linear
