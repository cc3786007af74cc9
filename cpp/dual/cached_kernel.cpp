#include "dual/cached_kernel.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dual/row_cache.h"
#include "kernel/row_sum.h"
#include "kernel/tiles.h"

namespace svm {
namespace {

template <class T>
class KeptRows final : public CachedKernel<T> {
 public:
  KeptRows(const KernelSource<T>& source, const DualProblem& problem, bool cheap,
           int64_t cache_bytes, Slabs& memory, const Workers& workers)
      : source_(source),
        problem_(problem),
        cheap_(cheap),
        cache_(std::max<int64_t>(simd::kTileRows, cache_bytes / row_bytes(source)), source.size(),
               memory),
        frugal_(cheap && 2 * cache_.capacity() < source.size()),
        met_(source.size(), false),
        workers_(workers) {}

  int64_t size() const override { return problem_.size(); }

  // Cached rows hold the same bits as fresh tiles: only what is in none of them is computed.
  void block(std::span<const int64_t> which, T* out) override {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    const std::vector<int64_t> rows = rows_of(which);
    const size_t q = rows.size();
    std::vector<int64_t> missing, place;
    for (size_t k = 0; k < q; ++k) {
      const T* row = cheap_ ? nullptr : cache_.peek(rows[k]);
      if (row == nullptr) {
        missing.push_back(rows[k]);
        place.push_back(static_cast<int64_t>(k));
        continue;
      }
      for (size_t l = 0; l < q; ++l) out[k * q + l] = row[rows[l]];
    }
    if (missing.size() == q) {
      source_.block(rows, out, workers_);
    } else if (!missing.empty()) {
      fill(missing, place, out, q);
    }
    for (size_t k = 0; k < q && !problem_.ridge.empty(); ++k) {
      out[k * q + k] += static_cast<T>(problem_.ridge[which[k]]);
    }
  }

  bool renew(std::span<const int64_t> which, std::span<const int64_t> places, T* out) override {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    if (!cheap_ || !source_.renew(rows_of(which), places, out, workers_)) return false;
    const size_t q = which.size();
    for (const int64_t k : places) {
      out[k * q + k] += static_cast<T>(problem_.ridge_of(which[k]));
    }
    return true;
  }

  bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                  double* f) override {
    const std::vector<int64_t> rows = rows_of(which);
    const int64_t count = static_cast<int64_t>(rows.size());
    change_.assign(source_.size(), 0.0);
    for (int64_t first = 0; first < count; first += cache_.capacity()) {
      const int64_t batch = std::min(cache_.capacity(), count - first);
      if (!accumulate_batch(std::span(rows).subspan(first, batch), step.subspan(first, batch))) {
        return false;
      }
    }
    const int64_t n = source_.size(), variables = size();
    for (int64_t first = 0; first < variables; first += n) {
      for (int64_t row = 0; row < n; ++row) f[first + row] += change_[row];
    }
    for (int64_t k = 0; k < count; ++k) {
      f[which[k]] += problem_.ridge_of(which[k]) * step[k];
      path_ += std::abs(step[k]);
    }
    rows_added_ += count;
    return true;
  }

  int64_t bytes() const override { return cache_.bytes(); }
  void release() override { cache_.release(); }
  int64_t rows_computed() const override { return rows_computed_; }
  int64_t rows_asked() const override { return rows_asked_; }
  double rounding(double largest) const override {
    return static_cast<double>(rows_added_) * 0x1p-53 * largest * path_;
  }

 private:
  using Rows = typename KernelSource<T>::Rows;

  static int64_t row_bytes(const KernelSource<T>& source) {
    return source.size() * static_cast<int64_t>(sizeof(T));
  }

  std::vector<int64_t> rows_of(std::span<const int64_t> which) const {
    std::vector<int64_t> rows(which.begin(), which.end());
    for (int64_t& row : rows) row %= source_.size();
    return rows;
  }

  // The rows of a block of width q that are in no cached row: among each other, and mirrored.
  void fill(std::span<const int64_t> missing, std::span<const int64_t> place, T* out, size_t q) {
    const size_t m = missing.size();
    fresh_.resize(static_cast<int64_t>(m));
    source_.block(missing, fresh_.data(), workers_);
    for (size_t k = 0; k < m; ++k) {
      T* row = out + place[k] * q;
      const T* values = fresh_.row(static_cast<int64_t>(k));
      for (size_t l = 0, next = 0; l < q; ++l) {
        const bool fresh = next < m && place[next] == static_cast<int64_t>(l);
        row[l] = fresh ? values[next++] : out[l * q + place[k]];
      }
    }
  }

  bool accumulate_batch(std::span<const int64_t> which, std::span<const double> step) {
    // Of each row the values that are known, or the place to keep new ones in; or neither.
    std::vector<const T*> known(which.size(), nullptr);
    std::vector<T*> place(which.size(), nullptr);
    std::vector<int64_t> missing;
    for (size_t k = 0; k < which.size(); ++k) {
      known[k] = cache_.peek(which[k]);
      if (known[k] != nullptr || !frugal_ || (met_[which[k]] && worthwhile())) {
        place[k] = cache_.get(which[k]).first;
        ++(known[k] != nullptr ? found_ : kept_);
      }
      if (known[k] == nullptr) missing.push_back(which[k]);
      rows_asked_ += !met_[which[k]];
      met_[which[k]] = true;
    }
    const std::vector<std::unique_ptr<Rows>> fresh = prepare(missing);
    count_work(known, place, fresh);
    Split split(workers_.monitor.work);
    const int64_t blocks = (source_.size() + kBlockColumns - 1) / kBlockColumns;
    const bool complete = workers_.run(blocks, [&](int64_t block) {
      const int64_t begin = block * kBlockColumns;
      add_columns(known, place, fresh, step, begin, std::min(source_.size(), begin + kBlockColumns),
                  split);
    });
    if (!complete) cache_.clear();
    return complete;
  }

  // Known rows are read from memory and new ones written there where they are kept; the change of
  // the gradient stays in the first cache while rows are added to a block of it, and is then added
  // to the gradient.
  void count_work(std::span<const T* const> known, std::span<T* const> place,
                  std::span<const std::unique_ptr<Rows>> fresh) {
    Work& work = workers_.monitor.work;
    int64_t computed = 0, moved = 0;
    for (size_t k = 0; k < known.size(); ++k) {
      computed += known[k] == nullptr;
      moved += known[k] != nullptr || place[k] != nullptr;
    }
    rows_computed_ += computed;
    for (const auto& rows : fresh) work.evaluate<T>(rows->entries());
    work.cache_hits += static_cast<int64_t>(known.size()) - computed;
    work.bytes += source_.size() * static_cast<int64_t>(sizeof(T) * moved + 5 * sizeof(double));
  }

  // Whether another row may be kept: a few, and then two for each that has been found again.
  bool worthwhile() const {
    constexpr int64_t kFew = 256;
    return kept_ < kFew + 2 * found_;
  }

  // New rows in groups of kLeftRows.
  std::vector<std::unique_ptr<Rows>> prepare(std::span<const int64_t> missing) const {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    const int64_t count = std::ssize(missing);
    std::vector<std::unique_ptr<Rows>> groups((count + kLeftRows - 1) / kLeftRows);
    for (int64_t g = 0; g < std::ssize(groups); ++g) {
      const int64_t first = g * kLeftRows;
      groups[g] = source_.rows(missing.subspan(first, std::min(kLeftRows, count - first)));
    }
    return groups;
  }

  // The rows' columns from begin to end, always in the same order, whatever is in the cache.
  void add_columns(std::span<const T* const> known, std::span<T* const> place,
                   std::span<const std::unique_ptr<Rows>> fresh, std::span<const double> step,
                   int64_t begin, int64_t end, Split& split) {
    const auto start = Split::Clock::now();
    Split::Clock::duration computing{};
    // A power of two apart, the rows' columns would throw one another out of the cache.
    constexpr int64_t kStride = kBlockColumns + 16;
    const auto tile = std::make_unique_for_overwrite<T[]>(fresh.empty() ? 0 : kLeftRows * kStride);
    RowSum<T> sum(change_.data() + begin, end - begin);
    int64_t next = 0;
    for (size_t k = 0; k < known.size(); ++k) {
      const T* values = known[k] == nullptr ? nullptr : known[k] + begin;
      if (values == nullptr) {
        if (next % kLeftRows == 0) {
          sum.flush();  // what is still to be read of the tile
          const auto before = Split::Clock::now();
          fresh[next / kLeftRows]->columns(begin, end, tile.get(), kStride);
          computing += Split::Clock::now() - before;
        }
        values = tile.get() + next % kLeftRows * kStride;
        if (place[k] != nullptr) std::copy_n(values, end - begin, place[k] + begin);
        ++next;
      }
      sum.add(values, step[k]);
    }
    sum.flush();
    split.add(computing, Split::Clock::now() - start - computing);
  }

  const KernelSource<T>& source_;
  const DualProblem& problem_;
  bool cheap_;
  RowCache<T> cache_;
  bool frugal_;
  std::vector<bool> met_;  // rows that were asked for
  const Workers& workers_;
  std::vector<double> change_;
  StoredMatrix<T> fresh_;
  double path_ = 0;  // the sum of |step| over all moves
  int64_t rows_computed_ = 0, rows_asked_ = 0, rows_added_ = 0, kept_ = 0, found_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<CachedKernel<T>> cached_kernel(const KernelSource<T>& source,
                                               const DualProblem& problem, bool cheap,
                                               int64_t cache_bytes, Slabs& memory,
                                               const Workers& workers) {
  return std::make_unique<KeptRows<T>>(source, problem, cheap, cache_bytes, memory, workers);
}

template std::unique_ptr<CachedKernel<float>> cached_kernel(const KernelSource<float>&,
                                                            const DualProblem&, bool, int64_t,
                                                            Slabs&, const Workers&);
template std::unique_ptr<CachedKernel<double>> cached_kernel(const KernelSource<double>&,
                                                             const DualProblem&, bool, int64_t,
                                                             Slabs&, const Workers&);

}  // namespace svm
