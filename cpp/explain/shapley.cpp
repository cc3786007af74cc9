#include "explain/shapley.h"

#include <algorithm>
#include <vector>

#include "explain/quadrature.h"
#include "simd/table.h"

namespace svm {
namespace {

// Centres are summed in so many parts, whatever the number of threads, and their sums in order.
constexpr int64_t kParts = 64;
constexpr int64_t kLeastCentres = 16;
// Doubles that sums of parts may take.
constexpr int64_t kRoom = int64_t(1) << 23;

// A row of any layout, written out.
class Row {
 public:
  explicit Row(int64_t columns) : values_(columns, 0.0) {}
  void set(const Points& points, int64_t row) {
    if (points_ != nullptr) points_->clear_row(row_, values_.data(), 1);
    points.scatter_row(row, values_.data(), 1);
    points_ = &points, row_ = row;
  }
  double operator[](int64_t j) const { return values_[j]; }

 private:
  std::vector<double> values_;
  const Points* points_ = nullptr;
  int64_t row_ = 0;
};

// The games of one term.
class Game {
 public:
  Game(const ProductTerm& term, const Quadratures& rules)
      : term_(term), rules_(rules), size_(term.degree() + 1) {
    decays_ = std::any_of(term.rates.begin(), term.rates.end(), [](double r) { return r != 0; });
  }

  // values[j] += phi_j of the game between x and z (null: removal) at a centre.
  void add(const Row& x, const Row& centre, const Row* z, double* values) {
    list(x, centre, z);
    if (size_ == 1) {
      add_product(values);
    } else {
      add_series(values);
    }
  }

 private:
  // The features that matter to the game. Of a mere product those alike in x and z are a factor.
  void list(const Row& x, const Row& centre, const Row* z) {
    columns_.clear(), present_.clear(), absent_.clear(), dots_.clear(), other_dots_.clear();
    common_ = 0;
    for (int64_t j = 0; j < term_.columns(); ++j) {
      const double c = centre[j], e = term_.exponent(j, x[j], c), u = term_.product(j, x[j], c);
      // Rules are made for as many features as rows have entries: no others, whatever infinite rates
      // make of zeros.
      if (x[j] == 0 && c == 0 && (z == nullptr || (*z)[j] == 0)) continue;
      const double f = z ? term_.exponent(j, (*z)[j], c) : 0;
      const double v = z ? term_.product(j, (*z)[j], c) : 0;
      if (e == f && (size_ == 1 || (u == 0 && v == 0))) {
        common_ += e;
        continue;
      }
      columns_.push_back(j);
      present_.push_back(e), absent_.push_back(f);
      dots_.push_back(u), other_dots_.push_back(v);
    }
    const int64_t n = static_cast<int64_t>(columns_.size());
    const auto& loops = simd::table().f64;
    loops.decay(present_.data(), n, 1);
    loops.decay(absent_.data(), n, 1);
    loops.decay(&common_, 1, 1);
    common_ += 1;
  }

  void add_product(double* values) {
    const int64_t n = static_cast<int64_t>(columns_.size());
    const Quadrature& rule = rules_.of_degree(n - 1);
    const int64_t nodes = static_cast<int64_t>(rule.nodes.size());
    room_.resize((n + 1) * nodes);
    gains_.resize(n);
    // From the factors less 1 to (1 + absent) and (present - absent).
    for (int64_t l = 0; l < n; ++l) {
      present_[l] -= absent_[l];
      absent_[l] += 1;
    }
    simd::table().f64.without_each(absent_.data(), present_.data(), n, rule.nodes.data(),
                                   rule.weights.data(), nodes, room_.data(), gains_.data());
    const double scale = common_ * term_.polynomial[0];
    for (int64_t l = 0; l < n; ++l) values[columns_[l]] += scale * present_[l] * gains_[l];
  }

  // The same with series s of size_ coefficients for numbers.
  void add_series(double* values) {
    const int64_t n = static_cast<int64_t>(columns_.size());
    const int64_t degree = decays_ ? n - 1 : std::min(n - 1, term_.degree() - 1);
    const Quadrature& rule = rules_.of_degree(degree);
    base_.resize(n * size_), slope_.resize(n * size_);
    for (int64_t l = 0; l < n; ++l) {
      double up = 1, down = 1;  // u^q / q!
      for (int64_t q = 0; q < size_; ++q) {
        base_[l * size_ + q] = (1 + absent_[l]) * down;
        slope_[l * size_ + q] =
            q == 0 ? present_[l] - absent_[l] : (1 + present_[l]) * up - (1 + absent_[l]) * down;
        up *= dots_[l] / static_cast<double>(q + 1);
        down *= other_dots_[l] / static_cast<double>(q + 1);
      }
    }
    room_.resize((n + 3) * size_);
    double *before = room_.data(), *behind = before + (n + 1) * size_, *factor = behind + size_;
    for (size_t node = 0; node < rule.nodes.size(); ++node) {
      const double t = rule.nodes[node];
      const auto factor_of = [&](int64_t l) {
        for (int64_t q = 0; q < size_; ++q) {
          factor[q] = base_[l * size_ + q] + t * slope_[l * size_ + q];
        }
      };
      std::fill_n(before, size_, 0.0);
      before[0] = common_;
      for (int64_t l = 0; l < n; ++l) {
        factor_of(l);
        multiply(before + l * size_, factor, before + (l + 1) * size_);
      }
      std::fill_n(behind, size_, 0.0);
      behind[0] = rule.weights[node];
      for (int64_t l = n - 1; l >= 0; --l) {
        values[columns_[l]] += functional(before + l * size_, behind, slope_.data() + l * size_);
        factor_of(l);
        multiply(behind, factor, behind);
      }
    }
  }

  // out = a b up to the highest coefficient; out may be a.
  void multiply(const double* a, const double* b, double* out) const {
    for (int64_t q = size_ - 1; q >= 0; --q) {
      double sum = 0;
      for (int64_t r = 0; r <= q; ++r) sum += a[r] * b[q - r];
      out[q] = sum;
    }
  }

  // sum_q P_q q! [eps^q] a b c
  double functional(const double* a, const double* b, const double* c) {
    product_.resize(size_);
    multiply(a, b, product_.data());
    multiply(product_.data(), c, product_.data());
    double sum = 0, factorial = 1;
    for (int64_t q = 0; q < size_; ++q) {
      if (q > 0) factorial *= static_cast<double>(q);
      sum += term_.polynomial[q] * factorial * product_[q];
    }
    return sum;
  }

  const ProductTerm& term_;
  const Quadratures& rules_;
  int64_t size_;
  bool decays_;
  double common_ = 1;
  std::vector<int64_t> columns_;
  std::vector<double> present_, absent_, dots_, other_dots_;
  std::vector<double> base_, slope_, room_, gains_, product_;
};

// The most entries that a row has, in which alone features can differ from zero.
int64_t most_entries(const Points& points) {
  int64_t most = 0;
  for (int64_t i = 0; i < points.rows(); ++i) most = std::max(most, points.entries(i));
  return most;
}

}  // namespace

bool product_shapley(std::span<const ProductTerm> terms, const Points& points,
                     const Points& centres, std::span<const double> weights, int64_t outputs,
                     const Points* background, double* out, const Workers& workers) {
  const int64_t d = points.columns(), n = points.rows(), m = centres.rows();
  const int64_t listed =
      most_entries(points) + most_entries(centres) + (background ? most_entries(*background) : 0);
  const Quadratures rules(std::min(d, listed));
  const int64_t each = std::max(kLeastCentres, (m + kParts - 1) / kParts);
  const int64_t parts = (m + each - 1) / each, width = d * outputs;
  const int64_t together =
      std::clamp<int64_t>(kRoom / std::max<int64_t>(1, parts * width), 1, std::max<int64_t>(n, 1));
  std::vector<double> sums(together * parts * width);
  for (int64_t first = 0; first < n; first += together) {
    const int64_t rows = std::min(together, n - first);
    std::fill(sums.begin(), sums.end(), 0.0);
    const bool done = workers.run(rows * parts, [&](int64_t task) {
      double* sum = sums.data() + task * width;
      const int64_t begin = task % parts * each, end = std::min(m, begin + each);
      Row x(d), centre(d), z(d);
      x.set(points, first + task / parts);
      std::vector<Game> games;
      for (const ProductTerm& term : terms) games.emplace_back(term, rules);
      std::vector<double> values(d);
      for (int64_t k = begin; k < end && !workers.monitor.stopped(); ++k) {
        centre.set(centres, k);
        std::fill(values.begin(), values.end(), 0.0);
        for (Game& game : games) {
          if (background == nullptr) game.add(x, centre, nullptr, values.data());
          for (int64_t i = 0; background != nullptr && i < background->rows(); ++i) {
            z.set(*background, i);
            game.add(x, centre, &z, values.data());
          }
        }
        const double share = background ? 1.0 / static_cast<double>(background->rows()) : 1.0;
        for (int64_t j = 0; j < d; ++j) {
          if (values[j] == 0) continue;
          for (int64_t p = 0; p < outputs; ++p) {
            sum[j * outputs + p] += weights[k * outputs + p] * (share * values[j]);
          }
        }
      }
    });
    if (!done) return false;
    for (int64_t i = 0; i < rows; ++i) {
      double* whole = out + (first + i) * width;
      std::fill_n(whole, width, 0.0);
      for (int64_t part = 0; part < parts; ++part) {
        const double* sum = sums.data() + (i * parts + part) * width;
        for (int64_t c = 0; c < width; ++c) whole[c] += sum[c];
      }
    }
  }
  return true;
}

}  // namespace svm
