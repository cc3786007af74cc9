#include "linear/curvature.h"

#include <algorithm>

namespace svm::linear {

CurvatureGram::CurvatureGram(const Sample& sample, bool ones)
    : sample_(sample),
      ones_(ones),
      order_(gram_order(sample.columns(), ones)),
      sum_(order_ * order_),
      kept_(sample.size()) {}

bool CurvatureGram::update(const std::vector<double>& curvature, bool constant,
                           const Workers& workers) {
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

// Section by section, because the tiles of the matrix go through the same rows again.
bool CurvatureGram::add(const List& list, double sign, const Workers& workers) {
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

bool CurvatureGram::add(std::span<const int64_t> which, const double* weights, double sign,
                        const Workers& workers) {
  const int64_t count = static_cast<int64_t>(which.size());
  const int64_t tiles = sample_.rows.gram_tiles(ones_);
  if (tiles == 0) return true;  // no features and no intercept: the matrix is empty
  const int64_t strips = std::clamp<int64_t>(32 / tiles, 1, 1 + count / 256);
  std::vector<std::vector<double>> sums(strips);
  for (auto& sum : sums) sum.assign(order_ * order_, 0.0);
  const bool done = workers.run(strips * tiles, [&](int64_t task) {
    const int64_t strip = task / tiles;
    const int64_t begin = count * strip / strips, end = count * (strip + 1) / strips;
    sample_.rows.add_gram(which.subspan(begin, end - begin), weights + begin, task % tiles, ones_,
                          sums[strip].data());
  });
  if (!done) return false;
  for (const auto& sum : sums) {
    for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += sign * sum[i];
  }
  return true;
}

bool CurvatureProducts::squares(const std::vector<double>& curvature, std::vector<double>& out,
                                const Workers& workers) {
  rows_.clear();
  weights_.clear();
  for (int64_t k = 0; k < sample_.size(); ++k) {
    if (curvature[k] == 0) continue;
    rows_.push_back(sample_.index[k]);
    weights_.push_back(curvature[k]);
  }
  threads_ = paying_threads({sample_.rows, rows_}, workers.threads);
  out.assign(sample_.columns() + 1, 0.0);
  for (size_t k = 0; k < rows_.size(); ++k) {
    sample_.rows.add_squares(rows_[k], weights_[k], out.data());
    out.back() += weights_[k];
  }
  return !workers.monitor.stopped();
}

bool CurvatureProducts::product(double factor, const std::vector<double>& v,
                                std::vector<double>& out, const Workers& workers) {
  const Sample active{sample_.rows, rows_};
  const Workers few{threads_, workers.monitor};
  const size_t d = static_cast<size_t>(sample_.columns());
  scores_.resize(rows_.size());
  if (!multiply(active, v.data(), v.size() > d ? v[d] : 0, scores_.data(), few)) return false;
  double sum = 0;
  for (size_t k = 0; k < rows_.size(); ++k) {
    scores_[k] *= factor * weights_[k];
    sum += scores_[k];
  }
  if (!combine(active, scores_.data(), out, few)) return false;
  if (v.size() > d) out.push_back(sum);
  return true;
}

}  // namespace svm::linear
