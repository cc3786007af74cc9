// The kernel matrix of values that the caller has computed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernel/expansion.h"
#include "kernel/gram.h"

namespace svm {
namespace {

template <class T>
class GivenSource final : public KernelSource<T> {
 public:
  using typename KernelSource<T>::Rows;

  explicit GivenSource(MatrixView view) : view_(view) {}
  int64_t size() const override { return view_.size(); }
  std::unique_ptr<Rows> rows(std::span<const int64_t> rows) const override {
    return std::make_unique<Listed>(view_, rows);
  }
  void block(std::span<const int64_t> which, T* out, const Workers& workers) const override {
    workers.monitor.work.evaluate<T>(static_cast<int64_t>(which.size() * which.size()));
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = static_cast<T>(view_(i, j));
    }
  }

 private:
  struct Listed final : Rows {
    const MatrixView& view;
    std::vector<int64_t> list;

    Listed(const MatrixView& view, std::span<const int64_t> rows)
        : view(view), list(rows.begin(), rows.end()) {}
    void columns(int64_t begin, int64_t end, T* out, int64_t stride) const override {
      for (size_t r = 0; r < list.size(); ++r) {
        for (int64_t j = begin; j < end; ++j) {
          out[r * stride + j - begin] = static_cast<T>(view(list[r], j));
        }
      }
    }
    int64_t entries() const override { return std::ssize(list) * view.size(); }
  };

  MatrixView view_;
};

class GivenGram final : public Gram {
 public:
  explicit GivenGram(MatrixView view) : view_(view) {}
  int64_t size() const override { return view_.size(); }
  std::unique_ptr<KernelSource<float>> single(const Workers&) const override {
    return std::make_unique<GivenSource<float>>(view_);
  }
  std::unique_ptr<KernelSource<double>> exact(const Workers&) const override {
    return std::make_unique<GivenSource<double>>(view_);
  }
  void block(std::span<const int64_t> which, double* out, const Workers& workers) const override {
    workers.monitor.work.evaluate<double>(static_cast<int64_t>(which.size() * which.size()));
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = view_(i, j);
    }
  }
  bool product(std::span<const int64_t> rows, std::span<const int64_t> which,
               std::span<const double> weights, double* sum,
               const Workers& workers) const override {
    const auto row = [&](int64_t i) {
      double total = 0;
      for (size_t first = 0; first < which.size(); first += kCentreChunk) {
        double part = 0;
        for (size_t k = first; k < std::min<size_t>(which.size(), first + kCentreChunk); ++k) {
          part += weights[k] * view_(i, which[k]);
        }
        total += part;
      }
      return total;
    };
    constexpr int64_t kRows = 64;
    const int64_t n = static_cast<int64_t>(rows.size());
    workers.monitor.work.evaluate<double>(n * static_cast<int64_t>(which.size()));
    return workers.run((n + kRows - 1) / kRows, [&](int64_t block) {
      const int64_t end = std::min(n, (block + 1) * kRows);
      for (int64_t r = block * kRows; r < end; ++r) sum[r] = row(rows[r]);
    });
  }
  double row_length() const override { return 0; }
  double offset() const override { return 0; }
  double largest_entry() const override {
    std::call_once(largest_known_, [&] {
      for (int64_t i = 0; i < size(); ++i) {
        for (int64_t j = 0; j < size(); ++j) largest_ = std::max(largest_, std::abs(view_(i, j)));
      }
    });
    return largest_;
  }
  double exact_error() const override { return 0; }
  double single_error() const override { return 0x1p-24 * largest_entry(); }

 private:
  MatrixView view_;
  mutable std::once_flag largest_known_;  // the threads of a grid share it
  mutable double largest_ = 0;
};

}  // namespace

std::unique_ptr<Gram> make_gram(MatrixView view) { return std::make_unique<GivenGram>(view); }

}  // namespace svm
