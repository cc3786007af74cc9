#include "explain/shuffled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/table.h"

namespace svm {
namespace {

// Values of all rows with a chunk of centres that a thread holds: they should stay in its cache.
constexpr int64_t kRoom = int64_t(1) << 16;
constexpr int64_t kLeastChunk = 16, kMostChunk = 256;
constexpr int64_t kRowsEach = 64;
// Above this a sum of exponents has an error of 1e-12, and is made again without the group.
constexpr double kLarge = 4096;
constexpr double kNothing = 800;  // exp(-kNothing) is zero

// All values by column: that of row i in column j is [j * rows + i].
std::vector<double> by_column(const Points& points) {
  const int64_t n = points.rows();
  std::vector<double> values(n * points.columns(), 0.0);
  if (values.empty()) return values;
  for (int64_t i = 0; i < n; ++i) points.scatter_row(i, values.data() + i, n);
  return values;
}

// One term, all rows, and the centres first .. first + count - 1.
class Chunk {
 public:
  Chunk(const ProductTerm& term, const std::vector<double>& x, int64_t rows,
        const std::vector<double>& c, int64_t centres, int64_t first, int64_t count)
      : term_(term), x_(x), c_(c), rows_(rows), centres_(centres), first_(first), count_(count) {}

  // sums[i * count + k] for all features, and the dots where there is a polynomial.
  bool prepare(const Workers& workers) {
    sums_.assign(rows_ * count_, 0.0);
    if (term_.degree() > 0) dots_.assign(rows_ * count_, 0.0);
    return workers.run((rows_ + kRowsEach - 1) / kRowsEach, [&](int64_t block) {
      const int64_t end = std::min(rows_, (block + 1) * kRowsEach);
      for (int64_t i = block * kRowsEach; i < end; ++i) {
        for (int64_t j = 0; j < term_.columns(); ++j) {
          add_exponents(j, i, sums_.data() + i * count_);
          if (!dots_.empty()) add_dots(j, x_[j * rows_ + i], dots_.data() + i * count_);
        }
      }
    });
  }

  // Adds to out[(s * rows + i) * outputs + p], with weights[p * count + k] of the listed outputs.
  void add(std::span<const int64_t> group, std::span<const int64_t> orders,
           const std::vector<double>& weights, std::span<const int64_t> listed, int64_t outputs,
           double* out) const {
    std::vector<double> theirs(rows_ * count_, 0.0), rest(rows_ * count_), values(count_);
    const auto& loops = simd::table().f64;
    for (int64_t i = 0; i < rows_; ++i) {
      double *own = theirs.data() + i * count_, *others = rest.data() + i * count_;
      const double* sum = sums_.data() + i * count_;
      for (const int64_t j : group) add_exponents(j, i, own);
      for (int64_t k = 0; k < count_; ++k) others[k] = std::max(sum[k] - own[k], 0.0);
      for (int64_t k = 0; k < count_; ++k) {
        if (sum[k] > kLarge && others[k] < kNothing) others[k] = without(group, i, k);
      }
    }
    exponentials(theirs);
    exponentials(rest);
    const bool plain = term_.degree() == 0, single = plain && listed.size() == 1;
    if (single) {
      for (int64_t i = 0; i < rows_; ++i) {
        double* others = rest.data() + i * count_;
        for (int64_t k = 0; k < count_; ++k) others[k] *= weights[k] * term_.polynomial[0];
      }
    }
    const int64_t shuffles = static_cast<int64_t>(orders.size()) / rows_;
    for (int64_t s = 0; s < shuffles; ++s) {
      for (int64_t i = 0; i < rows_; ++i) {
        const int64_t from = orders[s * rows_ + i];
        const double *own = theirs.data() + from * count_, *others = rest.data() + i * count_;
        double* row = out + (s * rows_ + i) * outputs;
        if (single) {
          row[listed[0]] += loops.dot(others, own, count_);
          continue;
        }
        polynomial(group, i, from, values);
        for (int64_t k = 0; k < count_; ++k) values[k] *= own[k] * others[k];
        for (size_t p = 0; p < listed.size(); ++p) {
          row[listed[p]] += loops.dot(values.data(), weights.data() + p * count_, count_);
        }
      }
    }
  }

 private:
  const double* centre(int64_t j) const { return c_.data() + j * centres_ + first_; }

  void add_exponents(int64_t j, int64_t i, double* out) const {
    const int64_t d = term_.columns();
    const double x = x_[j * rows_ + i], *c = centre(j);
    const double square = term_.rates[j], absolute = term_.rates[d + j],
                 chi2 = term_.rates[2 * d + j];
    if (square != 0) {
      for (int64_t k = 0; k < count_; ++k) out[k] += square * (x - c[k]) * (x - c[k]);
    }
    if (absolute != 0) {
      for (int64_t k = 0; k < count_; ++k) out[k] += absolute * std::abs(x - c[k]);
    }
    if (chi2 != 0) {
      for (int64_t k = 0; k < count_; ++k) {
        const double sum = x + c[k];
        if (sum > 0) out[k] += chi2 * (x - c[k]) * ((x - c[k]) / sum);
      }
    }
  }

  void add_dots(int64_t j, double x, double* out) const {
    if (!term_.dotted[j]) return;
    const double* c = centre(j);
    for (int64_t k = 0; k < count_; ++k) out[k] += x * c[k];
  }

  // The sum of all exponents but those of a group, in ascending columns.
  double without(std::span<const int64_t> group, int64_t i, int64_t k) const {
    double sum = 0;
    for (int64_t j = 0; j < term_.columns(); ++j) {
      if (std::find(group.begin(), group.end(), j) != group.end()) continue;
      sum += term_.exponent(j, x_[j * rows_ + i], centre(j)[k]);
    }
    return sum;
  }

  static void exponentials(std::vector<double>& values) {
    simd::table().f64.decay(values.data(), static_cast<int64_t>(values.size()), 1);
    for (double& value : values) value += 1;
  }

  // values[k] = P(u) of row i with the group of another row.
  void polynomial(std::span<const int64_t> group, int64_t i, int64_t from,
                  std::vector<double>& values) const {
    if (term_.degree() == 0) {
      std::fill(values.begin(), values.end(), term_.polynomial[0]);
      return;
    }
    std::copy_n(dots_.data() + i * count_, count_, values.begin());
    for (const int64_t j : group) {
      add_dots(j, x_[j * rows_ + from] - x_[j * rows_ + i], values.data());
    }
    for (double& value : values) value = term_.value(value);
  }

  const ProductTerm& term_;
  const std::vector<double>&x_, &c_;
  int64_t rows_, centres_, first_, count_;
  std::vector<double> sums_, dots_;
};

}  // namespace

bool shuffled_outputs(std::span<const ProductTerm> terms, const Points& points,
                      const Points& centres, std::span<const double> weights, int64_t outputs,
                      const Groups& groups, std::span<const int64_t> orders, double* out,
                      const Workers& workers) {
  const int64_t n = points.rows(), m = centres.rows();
  const int64_t each = static_cast<int64_t>(orders.size()) * outputs;  // of a group
  std::fill_n(out, groups.size() * each, 0.0);
  if (n == 0) return true;
  const std::vector<double> x = by_column(points), c = by_column(centres);
  const int64_t most = std::clamp(kRoom / std::max<int64_t>(n, 1) / 8 * 8, kLeastChunk, kMostChunk);
  for (const ProductTerm& term : terms) {
    for (int64_t first = 0; first < m; first += most) {
      const int64_t count = std::min(most, m - first);
      Chunk chunk(term, x, n, c, m, first, count);
      if (!chunk.prepare(workers)) return false;
      // The outputs that these centres have weights in: those of one class only some of the pairs.
      std::vector<int64_t> listed;
      std::vector<double> own;
      for (int64_t p = 0; p < outputs; ++p) {
        const auto weight = [&](int64_t k) { return weights[(first + k) * outputs + p]; };
        bool used = false;
        for (int64_t k = 0; k < count; ++k) used |= weight(k) != 0;
        if (!used) continue;
        listed.push_back(p);
        for (int64_t k = 0; k < count; ++k) own.push_back(weight(k));
      }
      if (listed.empty()) continue;
      const bool done = workers.run(groups.size(), [&](int64_t g) {
        chunk.add(groups[g], orders, own, listed, outputs, out + g * each);
      });
      if (!done) return false;
    }
  }
  return true;
}

}  // namespace svm
