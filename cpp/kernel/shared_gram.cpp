#include "kernel/shared_gram.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace svm {
namespace {

class SharedGram : public Gram {
 public:
  SharedGram(std::unique_ptr<Gram> own, std::shared_ptr<SharedMatrix> matrix)
      : own_(std::move(own)), matrix_(std::move(matrix)) {}

  const double* kept_exact(const Workers& workers) const override {
    return matrix_->exact(*own_, workers);
  }
  const float* kept_single(const Workers& workers) const override {
    return matrix_->single(*own_, workers);
  }

  int64_t size() const override { return own_->size(); }
  std::unique_ptr<KernelSource<float>> single(const Workers& workers) const override {
    return own_->single(workers);
  }
  std::unique_ptr<KernelSource<double>> exact(const Workers& workers) const override {
    return own_->exact(workers);
  }
  void block(std::span<const int64_t> which, double* out, const Workers& workers) const override {
    own_->block(which, out, workers);
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
  std::shared_ptr<SharedMatrix> matrix_;
};

}  // namespace

const double* SharedMatrix::exact(const Gram& gram, const Workers& workers) {
  std::call_once(exact_known_, [&] {
    std::vector<int64_t> rows(gram.size());
    std::iota(rows.begin(), rows.end(), 0);
    exact_ = large_pages<double>(rows.size() * rows.size());
    gram.block(rows, exact_.get(), workers);
  });
  return exact_.get();
}

const float* SharedMatrix::single(const Gram& gram, const Workers& workers) {
  const double* values = exact(gram, workers);
  std::call_once(single_known_, [&] {
    const size_t entries = gram.size() * gram.size();
    single_ = large_pages<float>(entries);
    std::copy_n(values, entries, single_.get());
  });
  return single_.get();
}

std::unique_ptr<Gram> shared_gram(std::unique_ptr<Gram> own, std::shared_ptr<SharedMatrix> matrix) {
  return std::make_unique<SharedGram>(std::move(own), std::move(matrix));
}

}  // namespace svm
