#include "dual/quadratic.h"

#include <algorithm>

#include "kernel/row_sum.h"
#include "run/parallel.h"

namespace svm {

template <class T>
void StoredMatrix<T>::resize(int64_t size) {
  size_ = size;
  view_ = nullptr;
  if (size * size > capacity_) {
    capacity_ = size * size;
    values_ = large_pages<T>(static_cast<size_t>(capacity_));
  }
}

template <class T>
void StoredMatrix<T>::release() {
  size_ = capacity_ = 0;
  values_.reset();
  view_ = nullptr;
  return_spare_pages();
}

template <class T>
void StoredMatrix<T>::multiply_add(const double* x, double* y, int threads) const {
  constexpr int64_t kBlock = 512;
  // Not Workers::run(): half a product is of no use, and the whole is quick.
  parallel_for((size_ + kBlock - 1) / kBlock, threads, [&](int64_t block) {
    const int64_t begin = block * kBlock, count = std::min(kBlock, size_ - begin);
    RowSum<T> sum(y + begin, count);
    for (int64_t i = 0; i < size_; ++i) {
      if (x[i] != 0) sum.add(row(i) + begin, x[i]);
    }
    sum.flush();
  });
}

template <class T>
void StoredMatrix<T>::block(std::span<const int64_t> which, T* out) {
  for (const int64_t i : which) {
    for (const int64_t j : which) *out++ = row(i)[j];
  }
}

template <class T>
bool StoredMatrix<T>::accumulate(std::span<const int64_t> which, std::span<const double> step,
                                 double* f) {
  RowSum<T> sum(f, size_);
  for (size_t k = 0; k < which.size(); ++k) sum.add(row(which[k]), step[k]);
  sum.flush();
  return true;
}

template class StoredMatrix<float>;
template class StoredMatrix<double>;

}  // namespace svm
