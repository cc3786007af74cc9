// A Cholesky factor L L' that grows by rows, loses rows, and solves.
//
// Rows are taken in by panels. A panel X of rows a of the matrix becomes X = a L'^-1 block by block
// of columns,
//
//   X_B = (a_B - X_{<B} L'_{B,<B}) L'_{BB}^-1,
//
// the products by register tiles, with the rows of L on their right packed for all rows of X.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "run/large_pages.h"
#include "run/workers.h"
#include "simd/table.h"

namespace svm {

class Cholesky {
 public:
  explicit Cholesky(int64_t most) : most_(static_cast<size_t>(most)) {}

  size_t size() const { return size_; }
  void clear() { size_ = 0; }

  // out[c - begin] = the value of the symmetric matrix between the r-th row that is appended and
  // the c-th row kept so far, begin <= c < end.
  using Entries = std::function<void(int64_t r, int64_t begin, int64_t end, double* out)>;
  // Is told what earlier rows leave to take from the diagonal of the r-th row, and answers with the
  // pivot, or 0 to leave the row out.
  using Pivot = std::function<double(int64_t r, double rest)>;

  // Appends `count` rows. False when the monitor stopped it half-way.
  bool append(int64_t count, const Workers& workers, const Entries& entries, const Pivot& pivot);

  // Takes out a row: those below move up, and rotations of neighbouring columns make them
  // triangular again. A row is turned by the rotations of all rows above it, which is a chain: some
  // rows are turned side by side.
  void erase(size_t place);

  // y = L^-1 y
  void forward_substitute(std::vector<double>& y) const { substitute(y.data()); }

  // x = L'^-1 y in place
  void back_substitute(std::vector<double>& y) const;

 private:
  static constexpr int64_t kPanel = 96;  // rows taken in together, columns worked on together
  static constexpr int64_t kChunk = simd::kSystems;  // of which a thread works on this many rows
  static constexpr int64_t kDepth = 512;  // products are summed over this many columns at a time
  static constexpr int64_t kFewRows = 6;  // for which packing costs more than it saves

  struct Rotation {
    double cosine, sine;
  };
  static constexpr size_t kTurned = 8;  // rows

  // Turns the columns from begin to end of some rows, each with the next one.
  template <size_t kRows>
  void turn(size_t first, size_t begin, size_t end, const Rotation* rotations);

  double* row(size_t k) { return values_.get() + k * stride_; }
  const double* row(size_t k) const { return values_.get() + k * stride_; }

  void reserve(size_t rows);

  bool append_panel(int64_t first, int64_t count, const Workers& workers, const Entries& entries,
                    const Pivot& pivot);

  // panel = panel L'^-1, and products = panel panel', its lower half.
  bool forward(std::vector<double>& panel, int64_t count, std::vector<double>& products,
               const Workers& workers);

  // x = L^-1 x
  void substitute(double* x) const;

  // Rows side by side in panels of a register tile's width, kDepth columns at a time.
  bool pack(const double* rows, int64_t stride, int64_t count, int64_t depth,
            const Workers& workers);

  // out[r][c] -= sum over k < depth of x[r][k] times row c of what is packed.
  void subtract(const double* x, int64_t x_stride, int64_t rows, int64_t depth, int64_t columns,
                double* out, int64_t stride) const;

  const simd::Loops<double>& loops_ = simd::table().f64;
  size_t most_;  // rows there will ever be
  std::unique_ptr<double[], Free> values_;
  std::vector<double> packed_;
  std::array<int64_t, kPanel> sources_ = {};  // rows of a panel that were taken in
  size_t size_ = 0, stride_ = 0;
};

}  // namespace svm
