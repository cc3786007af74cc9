#include "dual/cells.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

namespace svm {
namespace {

// Rows in the middle of cells for each set: with one, sets that are cut to size would often be of
// two halves that are far apart.
constexpr int64_t kCellsEach = 2;
constexpr int64_t kScatter = 7919;

// What the middle of each cell has in common with the rows of its own, and with all.
struct Sums {
  std::vector<double> own, all;
};

template <class T>
class Search {
 public:
  Search(const KernelSource<T>& source, double offset, int64_t cells)
      : source_(source), offset_(offset), cell_of_(source.size()) {
    const int64_t each = source.size() / cells;
    for (int64_t c = 0; c < cells; ++c) {
      // Not at even distances, or data whose classes take turns would have middles of one class.
      middle_.push_back(c * source.size() / cells + c * kScatter % each);
    }
    for (int64_t c = 0; c < cells; c += kLeftRows) {
      rows_.push_back(source.rows(std::span(middle_).subspan(c, std::min(kLeftRows, cells - c))));
    }
  }

  bool run(const Workers& workers) {
    const int64_t n = source_.size(), blocks = (n + kBlockColumns - 1) / kBlockColumns;
    std::vector<Sums> sums(blocks);
    for (const auto& rows : rows_) workers.monitor.work.evaluate<T>(rows->entries());
    const bool done = workers.run(blocks, [&](int64_t b) {
      const int64_t begin = b * kBlockColumns;
      assign(begin, std::min(n, begin + kBlockColumns), sums[b]);
    });
    if (!done) return false;
    for (int64_t b = 1; b < blocks; ++b) {
      for (size_t c = 0; c < middle_.size(); ++c) {
        sums[0].own[c] += sums[b].own[c], sums[0].all[c] += sums[b].all[c];
      }
    }
    sums_ = std::move(sums[0]);
    return true;
  }

  // Rows cell by cell.
  std::vector<int64_t> order() const {
    std::vector<int64_t> order(source_.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return cell_of_[a] < cell_of_[b]; });
    return order;
  }

  double likeness() const {
    std::vector<double> count(middle_.size(), 0.0);
    for (const int64_t c : cell_of_) ++count[c];
    double own = 0, expected = 0;
    for (size_t c = 0; c < middle_.size(); ++c) {
      own += sums_.own[c];
      expected += sums_.all[c] * count[c] / static_cast<double>(source_.size());
    }
    return expected > 0 ? own / expected : 0;
  }

 private:
  // The cells of the rows from begin to end, and what these add to the sums.
  void assign(int64_t begin, int64_t end, Sums& sums) {
    const int64_t cells = std::ssize(middle_), stride = kBlockColumns + 16;
    const int64_t room = (cells + kLeftRows - 1) / kLeftRows * kLeftRows;
    const auto values = std::make_unique_for_overwrite<T[]>(room * stride);
    for (size_t g = 0; g < rows_.size(); ++g) {
      rows_[g]->columns(begin, end, values.get() + static_cast<int64_t>(g) * kLeftRows * stride,
                        stride);
    }
    sums.own.assign(cells, 0.0), sums.all.assign(cells, 0.0);
    for (int64_t i = begin; i < end; ++i) {
      const auto value = [&](int64_t c) { return values[c * stride + i - begin]; };
      int64_t nearest = 0;
      for (int64_t c = 1; c < cells; ++c) {
        if (value(c) > value(nearest)) nearest = c;
      }
      cell_of_[i] = nearest;
      for (int64_t c = 0; c < cells; ++c) {
        if (i == middle_[c]) continue;
        const double k = static_cast<double>(value(c)) + offset_;
        sums.all[c] += k;
        if (c == nearest) sums.own[c] += k;
      }
    }
  }

  const KernelSource<T>& source_;
  double offset_;
  std::vector<int64_t> middle_, cell_of_;
  std::vector<std::unique_ptr<typename KernelSource<T>::Rows>> rows_;
  Sums sums_;
};

}  // namespace

template <class T>
Cells find_cells(const KernelSource<T>& source, double offset, int64_t size,
                 const Workers& workers) {
  const Stopwatch watch(workers.monitor.work.kernel_seconds);
  const int64_t n = source.size(), sets = (n + size - 1) / size;
  Search<T> search(source, offset, kCellsEach * sets);
  if (!search.run(workers)) return {};
  const std::vector<int64_t> order = search.order();
  Cells found{{}, search.likeness()};
  for (int64_t s = 0; s < sets; ++s) {
    found.sets.emplace_back(order.begin() + n * s / sets, order.begin() + n * (s + 1) / sets);
  }
  return found;
}

template Cells find_cells(const KernelSource<float>&, double, int64_t, const Workers&);

}  // namespace svm
