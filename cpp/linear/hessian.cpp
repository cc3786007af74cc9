// Newton's direction from the matrix H itself, for up to a few thousand features.
//
// The sum over rows is kept between steps: with constant curvatures only rows that entered or left
// the active set since are added or taken away.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/cholesky.h"
#include "linear/passes.h"
#include "linear/system.h"

namespace svm::linear {
namespace {

class Hessian : public System {
 public:
  Hessian(const Sample& sample, Intercept intercept)
      : sample_(sample),
        intercept_(intercept),
        d_(sample.columns()),
        order_(gram_order(d_, intercept.present)),
        sum_(order_ * order_),
        kept_(sample.size()) {}

  bool update(const std::vector<double>& curvature, bool constant,
              const Workers& workers) override {
    int64_t active = 0, changed = 0;
    for (int64_t k = 0; k < sample_.size(); ++k) {
      active += curvature[k] > 0;
      changed += (curvature[k] > 0) != (kept_[k] > 0);
    }
    touched_ += changed;
    // Sums that rows were taken from lose digits: they are made anew before that adds up.
    const bool anew = !constant || changed >= active || touched_ > 4 * active;
    if (anew) {
      std::fill(sum_.begin(), sum_.end(), 0.0);
      std::fill(kept_.begin(), kept_.end(), 0.0);
      touched_ = 0;
    }
    in_.clear();
    out_.clear();
    for (int64_t k = 0; k < sample_.size(); ++k) {
      if ((curvature[k] > 0) == (kept_[k] > 0)) continue;
      if (kept_[k] > 0) out_.push(sample_.index[k], kept_[k]);
      if (curvature[k] > 0) in_.push(sample_.index[k], curvature[k]);
    }
    kept_ = curvature;
    return add(in_, 1, workers) && add(out_, -1, workers);
  }

  bool solve(double factor, const std::vector<double>& gradient, std::vector<double>& direction,
             const Workers& workers) override {
    matrix_.resize(order_ * order_);
    for (int64_t i = 0; i < order_; ++i) {
      for (int64_t j = i; j < order_; ++j) matrix_[i * order_ + j] = factor * sum_[i * order_ + j];
      matrix_[i * order_ + i] += i < d_ ? 1 : (i > d_ || !intercept_.present ? 1 : 0);
    }
    direction.assign(order_, 0.0);
    for (size_t i = 0; i < gradient.size(); ++i) direction[i] = -gradient[i];
    const double g = intercept_.present ? direction[d_] : 0;
    double pivot = 0;
    if (intercept_.present) {
      pivot = eliminate_intercept(factor);
      for (int64_t i = 0; i < d_; ++i) direction[i] -= column_[i] * g / pivot;
      direction[d_] = 0;
    }
    if (!factorize(matrix_.data(), order_, order_, workers)) return false;
    solve_factored(matrix_.data(), order_, order_, direction.data());
    if (intercept_.present) {
      double sum = g;
      for (int64_t i = 0; i < d_; ++i) sum -= column_[i] * direction[i];
      direction[d_] = sum / pivot;
    }
    direction.resize(gradient.size());
    return true;
  }

 private:
  struct List {
    std::vector<int64_t> rows;
    std::vector<double> weights;
    void push(int64_t row, double weight) {
      rows.push_back(row);
      weights.push_back(weight);
    }
    void clear() {
      rows.clear();
      weights.clear();
    }
    int64_t size() const { return static_cast<int64_t>(rows.size()); }
  };

  // Column d of the matrix goes to column_, its pivot is returned, and what remains is the Schur
  // complement, which is at least the identity. Without any active row a free intercept has no
  // curvature of its own: it gets that of a row in ten thousand.
  double eliminate_intercept(double factor) {
    double pivot = matrix_[d_ * order_ + d_] + intercept_.penalty;
    if (!(pivot > 0)) pivot = 1e-4 * factor * static_cast<double>(sample_.size());
    column_.resize(d_);
    for (int64_t i = 0; i < d_; ++i) {
      column_[i] = matrix_[i * order_ + d_];
      matrix_[i * order_ + d_] = 0;
    }
    for (int64_t i = 0; i < d_; ++i) {
      const double scaled = column_[i] / pivot;
      for (int64_t j = i; j < d_; ++j) matrix_[i * order_ + j] -= scaled * column_[j];
    }
    matrix_[d_ * order_ + d_] = 1;
    return pivot;
  }

  // Section by section, because the tiles of the matrix go through the same rows again.
  bool add(const List& list, double sign, const Workers& workers) {
    for (int64_t begin = 0, end = 0; begin < list.size(); begin = end) {
      const int64_t section = sample_.rows.section(list.rows[begin]);
      while (end < list.size() && sample_.rows.section(list.rows[end]) == section) ++end;
      if (!add({list.rows.data() + begin, static_cast<size_t>(end - begin)},
               list.weights.data() + begin, sign, workers)) {
        return false;
      }
    }
    return true;
  }

  bool add(std::span<const int64_t> which, const double* weights, double sign,
           const Workers& workers) {
    const int64_t count = static_cast<int64_t>(which.size());
    const int64_t tiles = sample_.rows.gram_tiles(intercept_.present);
    const int64_t strips = std::clamp<int64_t>(32 / tiles, 1, 1 + count / 256);
    std::vector<std::vector<double>> sums(strips);
    for (auto& sum : sums) sum.assign(order_ * order_, 0.0);
    const bool done = workers.run(strips * tiles, [&](int64_t task) {
      const int64_t strip = task / tiles;
      const int64_t begin = count * strip / strips, end = count * (strip + 1) / strips;
      sample_.rows.add_gram(which.subspan(begin, end - begin), weights + begin, task % tiles,
                            intercept_.present, sums[strip].data());
    });
    if (!done) return false;
    for (const auto& sum : sums) {
      for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += sign * sum[i];
    }
    return true;
  }

  const Sample& sample_;
  Intercept intercept_;
  int64_t d_, order_;
  std::vector<double> sum_, matrix_, column_;
  std::vector<double> kept_;
  List in_, out_;  // kept for their memory
  int64_t touched_ = 0;
};

}  // namespace

std::unique_ptr<System> matrix_system(const Sample& sample, Intercept intercept) {
  return std::make_unique<Hessian>(sample, intercept);
}

}  // namespace svm::linear
