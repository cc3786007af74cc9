#include "fuzz/data.h"

#include <utility>

namespace fuzz {

void Data::fill_sparse(Bytes& bytes) {
  starts_.push_back(0);
  for (int64_t i = 0; i < rows_; ++i) {
    for (int64_t k = bytes.between(0, 3); k < columns_; k += bytes.between(1, 4)) {
      places_.push_back(k);
      values_.push_back(bytes.number());
    }
    starts_.push_back(std::ssize(places_));
  }
  short_places_.assign(places_.begin(), places_.end());
  short_starts_.assign(starts_.begin(), starts_.end());
}
template <class X>
void Data::keep_dense(const std::vector<X>& values) {
  const svm::DenseRows<X> rows{values.data(), rows_, columns_};
  points_ = std::make_unique<svm::DensePoints<X>>(rows);
  products_ = std::make_unique<svm::DenseProducts<X>>(rows);
}
template <class X, class Index>
void Data::keep_sparse(const std::vector<X>& values, const std::vector<Index>& places,
                       const std::vector<Index>& starts) {
  const svm::CsrRows<X, Index> rows{values.data(), places.data(), starts.data(), rows_, columns_};
  points_ = std::make_unique<svm::CsrPoints<X, Index>>(rows);
  products_ = std::make_unique<svm::CsrProducts<X, Index>>(rows);
}

Data::Data(Bytes& bytes, int64_t rows, int64_t columns) : rows_(rows), columns_(columns) {
  const uint8_t layout = bytes.byte() % 6;
  if (layout >= 2) {
    fill_sparse(bytes);
  } else {
    values_ = bytes.numbers(rows * columns);
  }
  single_.assign(values_.begin(), values_.end());
  if (layout == 0) keep_dense(values_);
  if (layout == 1) keep_dense(single_);
  if (layout == 2) keep_sparse(values_, short_places_, short_starts_);
  if (layout == 3) keep_sparse(values_, places_, starts_);
  if (layout == 4) keep_sparse(single_, short_places_, short_starts_);
  if (layout == 5) keep_sparse(single_, places_, starts_);
}

svm::Kernel make_kernel(Bytes& bytes, int depth) {
  using svm::KernelKind;
  const int most = static_cast<int>(depth > 0 ? KernelKind::product : KernelKind::matern52);
  svm::Kernel kernel{static_cast<KernelKind>(bytes.between(0, most)), bytes.size(), bytes.number(),
                     static_cast<int>(bytes.between(0, 5))};
  if (kernel.kind >= KernelKind::sum) {
    for (int64_t k = bytes.between(0, 2); k >= 0; --k) {
      kernel.parts.push_back(make_kernel(bytes, depth - 1));
    }
  }
  if (bytes.byte() % 4 == 0) kernel.weight = bytes.number();
  if (bytes.byte() % 4 == 0) {
    std::vector<int64_t> columns;
    for (int64_t k = bytes.between(0, 2); k < 4; k += bytes.between(1, 3)) columns.push_back(k);
    kernel.columns = std::make_shared<const std::vector<int64_t>>(std::move(columns));
  }
  return kernel;
}

}  // namespace fuzz
