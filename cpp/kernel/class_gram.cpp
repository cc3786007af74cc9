#include "kernel/class_gram.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>

#include "kernel/tiles.h"

namespace svm {
namespace {

// Of packed classes. A row takes its values with its own class from there, if there are any, and
// only those with the others are computed.
class ClassSource final : public KernelSource<float> {
 public:
  explicit ClassSource(RowClasses classes) : classes_(std::move(classes)) {
    for (const RowClass* rows : classes_) ends_.push_back(ends_.back() + rows->size());
  }

  int64_t size() const override { return ends_.back(); }
  std::unique_ptr<Rows> rows(std::span<const int64_t> rows) const override {
    return std::make_unique<Prepared>(*this, rows);
  }
  void block(std::span<const int64_t> which, float* out, const Workers& workers) const override {
    std::vector<int64_t> rows(which.size());
    for (size_t k = 0; k < which.size(); ++k) rows[k] = locate(which[k]).row;
    const auto known = [](const RowClass* one) { return one->single(0) != nullptr; };
    if (!std::is_sorted(which.begin(), which.end()) ||
        !std::all_of(classes_.begin(), classes_.end(), known)) {
      return classes_.front()->block(rows, out, workers);
    }
    const int64_t q = std::ssize(which);
    std::vector<int64_t> ends;  // of the classes' rows in the block
    for (const int64_t end : ends_) {
      ends.push_back(std::lower_bound(which.begin(), which.end(), end) - which.begin());
    }
    for (size_t c = 0; c < classes_.size(); ++c) {
      const auto own = std::span(rows).subspan(ends[c], ends[c + 1] - ends[c]);
      gather(c, which.subspan(ends[c], own.size()), out + ends[c] * (q + 1), q);
      const auto before = std::span(rows).first(ends[c]);
      classes_[c]->meet(own, before, out + ends[c] * q, out + ends[c], q, workers);
    }
  }

 private:
  struct Location {
    size_t number;       // of the class
    int64_t place, row;  // there, and in the data
  };
  Location locate(int64_t i) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), i);
    const size_t number = static_cast<size_t>(end - ends_.begin()) - 1;
    const int64_t place = i - ends_[number];
    return {number, place, classes_[number]->rows()[place]};
  }

  // out[r * stride + c] = K(which[r], which[c]) for rows of one class.
  void gather(size_t number, std::span<const int64_t> which, float* out, int64_t stride) const {
    const int64_t first = ends_[number];
    for (size_t r = 0; r < which.size(); ++r, out += stride) {
      const float* values = classes_[number]->single(which[r] - first) - first;
      for (size_t c = 0; c < which.size(); ++c) out[c] = values[which[c]];
    }
  }

  class Prepared final : public Rows {
   public:
    Prepared(const ClassSource& source, std::span<const int64_t> rows)
        : source_(source), strips_(source.classes_.size()) {
      for (const int64_t i : rows) locations_.push_back(source.locate(i));
      for (size_t c = 0; c < strips_.size(); ++c) {
        std::vector<int64_t> computed;
        for (size_t r = 0; r < locations_.size(); ++r) {
          if (known(r, c)) continue;
          strips_[c].rows.push_back(r);
          computed.push_back(locations_[r].row);
        }
        strips_[c].left = source.classes_[c]->tiles().prepare(computed);
      }
    }
    void columns(int64_t begin, int64_t end, float* out, int64_t stride) const override {
      for (size_t c = 0; c < strips_.size(); ++c) {
        const int64_t first = source_.ends_[c];
        const int64_t from = std::max(begin, first), to = std::min(end, source_.ends_[c + 1]);
        if (from >= to) continue;
        for (size_t r = 0; r < locations_.size(); ++r) {
          if (!known(r, c)) continue;
          const float* values = source_.classes_[c]->single(locations_[r].place);
          std::copy(values + from - first, values + to - first, out + r * stride + from - begin);
        }
        compute(c, from - first, to - first, out + from - begin, stride);
      }
    }
    int64_t entries() const override {
      int64_t count = 0;
      for (size_t c = 0; c < strips_.size(); ++c) {
        count += strips_[c].left.count * source_.classes_[c]->size();
      }
      return count;
    }

   private:
    // Rows that are computed for the columns of a class.
    struct Strip {
      std::vector<size_t> rows;
      Tiles<float>::Left left;
    };

    bool known(size_t r, size_t c) const {
      return locations_[r].number == c && source_.classes_[c]->single(0) != nullptr;
    }
    // Columns of a class; its tiles begin at multiples of 64.
    void compute(size_t c, int64_t begin, int64_t end, float* out, int64_t stride) const {
      const Strip& strip = strips_[c];
      if (strip.rows.empty()) return;
      const int64_t first = begin / 64 * 64, room = (end - first + 63) / 64 * 64 + 16;
      thread_local std::vector<float> memory;
      memory.resize(std::max<size_t>(memory.size(), kLeftRows * room));
      source_.classes_[c]->tiles().rows(strip.left, first, end, memory.data(), room);
      for (size_t k = 0; k < strip.rows.size(); ++k) {
        const float* values = memory.data() + k * room;
        std::copy(values + begin - first, values + end - first, out + strip.rows[k] * stride);
      }
    }

    const ClassSource& source_;
    std::vector<Location> locations_;
    std::vector<Strip> strips_;  // one per class
  };

  RowClasses classes_;
  std::vector<int64_t> ends_{0};  // where the columns of each class begin, and the last end
};

class ClassGram final : public Gram {
 public:
  // What no class has is left to the problem's `own` matrix.
  ClassGram(std::unique_ptr<Gram> own, RowClasses classes)
      : own_(std::move(own)), classes_(std::move(classes)) {}

  int64_t size() const override { return own_->size(); }
  std::unique_ptr<KernelSource<float>> single(const Workers& workers) const override {
    const auto packed = [](const RowClass* rows) { return rows->packed(); };
    if (!std::all_of(classes_.begin(), classes_.end(), packed)) return own_->single(workers);
    return std::make_unique<ClassSource>(classes_);
  }
  std::unique_ptr<KernelSource<double>> exact(const Workers& workers) const override {
    return own_->exact(workers);
  }
  void block(std::span<const int64_t> which, double* out, const Workers& workers) const override {
    const auto known = [](const RowClass* rows) { return rows->exact(0) != nullptr; };
    const bool all = std::ranges::equal(which, std::views::iota(int64_t(0), size()));
    if (!all || !std::all_of(classes_.begin(), classes_.end(), known)) {
      return own_->block(which, out, workers);
    }
    const int64_t n = size();
    for (int64_t first = 0, c = 0; first < n; first += classes_[c++]->size()) {
      const RowClass& rows = *classes_[c];
      for (int64_t r = 0; r < rows.size(); ++r) {
        std::copy_n(rows.exact(r), rows.size(), out + (first + r) * n + first);
      }
      for (int64_t other = 0, d = 0; d < c; other += classes_[d++]->size()) {
        rows.meet(rows.rows(), classes_[d]->rows(), out + first * n + other,
                  out + other * n + first, n, workers);
      }
    }
  }
  bool product(std::span<const int64_t> rows, std::span<const int64_t> which,
               std::span<const double> weights, double* sum,
               const Workers& workers) const override {
    return own_->product(rows, which, weights, sum, workers);
  }
  bool product_among(std::span<const int64_t> which, std::span<const double> weights, double* sum,
                     const Workers& workers) const override {
    return own_->product_among(which, weights, sum, workers);
  }
  double row_length() const override { return own_->row_length(); }
  double row_cost() const override { return own_->row_cost(); }
  double offset() const override { return own_->offset(); }
  double largest_entry() const override { return own_->largest_entry(); }
  double exact_error() const override { return own_->exact_error(); }
  double single_error() const override { return own_->single_error(); }

 private:
  std::unique_ptr<Gram> own_;
  RowClasses classes_;
};

}  // namespace

std::unique_ptr<Gram> class_gram(std::unique_ptr<Gram> own, RowClasses classes) {
  return std::make_unique<ClassGram>(std::move(own), std::move(classes));
}

}  // namespace svm
