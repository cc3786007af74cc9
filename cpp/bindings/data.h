// Data of the caller: rows of features, or a square matrix of kernel values.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "bindings/arrays.h"
#include "kernel/gram.h"
#include "rows/chunks.h"
#include "rows/products.h"

namespace nb = nanobind;

namespace bindings {

// Training or prediction data: rows of features, or a square matrix of kernel values.
class Data {
 public:
  static Data dense(AnyMatrix array) {
    Data data;
    const int64_t rows = array.shape(0), columns = array.shape(1);
    if (array.dtype() == nb::dtype<double>()) {
      data.view_dense(static_cast<const double*>(array.data()), rows, columns);
    } else if (array.dtype() == nb::dtype<float>()) {
      data.view_dense(static_cast<const float*>(array.data()), rows, columns);
    } else {
      throw nb::type_error("data must be float32 or float64");
    }
    data.rows_ = rows;
    data.kept_.push_back(nb::cast(array));
    return data;
  }

  static Data sparse(AnyVector values, AnyVector places, AnyVector starts, int64_t columns) {
    Data data;
    data.rows_ = static_cast<int64_t>(starts.size()) - 1;
    if (data.rows_ < 0 || places.size() != values.size() || places.dtype() != starts.dtype()) {
      throw nb::value_error("malformed compressed rows");
    }
    if (columns < 0 || columns > std::numeric_limits<int32_t>::max()) {
      throw nb::value_error("columns must be between 0 and 2^31 - 1");
    }
    const auto with_index = [&](auto value, auto index) {
      using X = decltype(value);
      using Index = decltype(index);
      const svm::CsrRows<X, Index> rows{
          static_cast<const X*>(values.data()), static_cast<const Index*>(places.data()),
          static_cast<const Index*>(starts.data()), data.rows_, columns};
      rows.check(static_cast<int64_t>(values.size()));
      data.points_ = std::make_unique<svm::CsrPoints<X, Index>>(rows);
      data.linear_ = std::make_unique<svm::CsrProducts<X, Index>>(rows);
    };
    const auto with_value = [&](auto value) {
      if (places.dtype() == nb::dtype<int32_t>()) {
        with_index(value, int32_t());
      } else if (places.dtype() == nb::dtype<int64_t>()) {
        with_index(value, int64_t());
      } else {
        throw nb::type_error("indices must be int32 or int64");
      }
    };
    if (values.dtype() == nb::dtype<double>()) {
      with_value(double());
    } else if (values.dtype() == nb::dtype<float>()) {
      with_value(float());
    } else {
      throw nb::type_error("data must be float32 or float64");
    }
    for (const AnyVector& array : {values, places, starts}) data.kept_.push_back(nb::cast(array));
    return data;
  }

  // Rows in chunks: source(chunk) gives each chunk's own Data.
  static Data chunked(const Indices& starts, int64_t columns, bool sparse,
                      nb::typed<nb::callable, Data(int64_t)> source) {
    Data data;
    const auto rows = view<int64_t>(starts);
    if (rows.empty() || rows[0] != 0 || !std::is_sorted(rows.begin(), rows.end())) {
      throw nb::value_error("starts must begin with 0 and not decrease");
    }
    data.rows_ = rows.back();
    data.kept_.push_back(source);
    auto chunk = std::make_shared<nb::object>();  // the one at hand
    const auto load = [source = source.ptr(), chunk, columns,
                       starts = std::vector(rows.begin(), rows.end())](
                          int64_t number) -> const svm::RowProducts& {
      const nb::gil_scoped_acquire gil;
      *chunk = nb::none();  // before the next, so that there is only one
      *chunk = nb::borrow<nb::callable>(source)(number);
      const auto& found = nb::cast<const Data&>(*chunk);
      if (found.rows() != starts[number + 1] - starts[number] ||
          found.linear().columns() != columns) {
        throw nb::value_error("a chunk has changed its shape since it was first read");
      }
      return found.linear();
    };
    data.linear_ = std::make_unique<svm::ChunkedRows>(
        std::vector<int64_t>(rows.begin(), rows.end()), columns, sparse, load);
    return data;
  }

  static Data precomputed(Doubles2 array) {
    if (array.shape(0) != array.shape(1)) throw nb::value_error("kernel matrix must be square");
    Data data;
    data.matrix_ = array.data();
    data.rows_ = static_cast<int64_t>(array.shape(0));
    data.kept_.push_back(nb::cast(array));
    return data;
  }

  int64_t rows() const { return rows_; }

  const svm::Points& points() const {
    if (!points_) throw nb::type_error("a kernel matrix has no rows of features");
    return *points_;
  }

  const svm::RowProducts& linear() const {
    if (!linear_) throw nb::type_error("a kernel matrix has no rows of features");
    return *linear_;
  }

  // Readies the rows for matrices of this kernel; without it the first matrix does it alone.
  void prepare(const svm::Kernel& kernel, const svm::Workers& workers) const {
    if (points_) fitted(kernel, workers).keep_norms(workers);
  }

  // The kernel matrix of some rows, both checked.
  std::unique_ptr<svm::Gram> gram(const svm::Kernel& kernel, std::span<const int64_t> index) const {
    svm::Monitor nobody;
    if (points_) return svm::make_gram(fitted(kernel, {1, nobody}), index, kernel);
    return svm::make_gram(svm::MatrixView(matrix_, rows_, index));
  }

  void check(const svm::Kernel& kernel, std::span<const int64_t> index) const {
    check(index);
    if (points_) kernel.check(points_->columns());
  }

  void check(std::span<const int64_t> index) const {
    for (const int64_t i : index) {
      if (i < 0 || i >= rows_) throw nb::index_error("row index outside the data");
    }
  }

 private:
  // The rows as a fit goes through them, again and again: without zeros where that pays. A kernel
  // that looks at some columns sees rows of which nothing is known here.
  const svm::Points& fitted(const svm::Kernel& kernel, const svm::Workers& workers) const {
    if (!make_thin_ || kernel.chooses()) return *points_;
    const auto& thin = thin_->get([&] { return make_thin_(workers); });
    return thin ? *thin : *points_;
  }

  template <class X>
  void view_dense(const X* data, int64_t rows, int64_t columns) {
    const svm::DenseRows<X> view{data, rows, columns};
    points_ = std::make_unique<svm::DensePoints<X>>(view);
    make_thin_ = [view](const svm::Workers& workers) -> std::unique_ptr<svm::Points> {
      auto rows = svm::thin(view, workers);
      if (!rows) return nullptr;
      return std::make_unique<svm::PointsOf<svm::ThinRows<X>>>(std::move(*rows));
    };
    linear_ = std::make_unique<svm::DenseProducts<X>>(view);
  }

  std::vector<nb::object> kept_;              // the arrays behind the views
  std::unique_ptr<svm::Points> points_;       // rows as the kernel engine takes them
  std::unique_ptr<svm::RowProducts> linear_;  // and as the linear engine does
  using Thin = std::unique_ptr<svm::Points>;
  // Dense rows without their zeros, when a fit asks for them.
  std::function<Thin(const svm::Workers&)> make_thin_;
  std::shared_ptr<svm::Once<Thin>> thin_ = std::make_shared<svm::Once<Thin>>();
  const double* matrix_ = nullptr;
  int64_t rows_ = 0;
};

}  // namespace bindings
