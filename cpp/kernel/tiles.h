// Tiles of kernel values: a few rows on the left against many on the right.
//
// A kernel is a tree. Its leaves are functions of one sum over the features, computed by panels;
// sums and products combine the tiles of their parts. Leaves that look at the same columns share
// their panels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "rows/points.h"
#include "run/workers.h"
#include "simd/table.h"

namespace svm {

template <class T>
class Panels;
struct LeftRows;

// How many rows on the left are measured at a time: what is on the right comes from memory once for
// all of them.
inline constexpr int64_t kLeftRows = 4 * simd::kTileRows;

// What values are for: those of a fit have the error bounds of bounds.h, those of predictions are
// computed by listed_panels.h.
enum class Purpose { fit, prediction };

template <class T>
class Tiles {
 public:
  // The rows `which` of `right` are packed here, as sparse ones if they are and not `nearly_dense`;
  // rows of `left` are read when they are asked for.
  Tiles(const Kernel& kernel, const Points& left, const Points& right,
        std::span<const int64_t> which, bool nearly_dense, const Workers& workers,
        Purpose purpose = Purpose::fit);
  // The same packed rows with other ones on the left.
  Tiles(const Tiles& packed, const Points& left);

  int64_t size() const { return size_; }
  // Room for this many columns is needed behind each row of results.
  int64_t padded() const { return (size_ + kPadding - 1) / kPadding * kPadding; }

  // out[r * stride + c - begin] = k(left[rows[r]], right_c) - offset for begin <= c < end, at most
  // kLeftRows rows; begin is a multiple of a panel's width (all divide 64), out has room for a
  // multiple of kTileRows rows.
  void rows(std::span<const int64_t> rows, int64_t begin, int64_t end, T* out,
            int64_t stride) const;

  // Rows on the left for more than one such tile: prepared once for every leaf.
  struct Left {
    int64_t count = 0;
    std::vector<std::shared_ptr<const LeftRows>> leaves;
  };
  Left prepare(std::span<const int64_t> rows) const;
  void rows(const Left& left, int64_t begin, int64_t end, T* out, int64_t stride) const;

 private:
  static constexpr int64_t kPadding = 64;  // a multiple of every panel's width

  struct Node {
    Kernel kernel;  // with the columns that its parts see
    const Points* left;
    std::shared_ptr<const Panels<T>> panels;  // of a leaf
    std::vector<Node> parts;                  // of a sum or a product
  };

  Node make(const Kernel& kernel, const Points& left, const Points& right,
            std::span<const int64_t> which, const Workers& workers);
  std::shared_ptr<const Panels<T>> pack(const Points& right, std::span<const int64_t> which,
                                        const Workers& workers) const;
  // A node as it looks at other rows.
  Node turn(const Node& node, const Points& left);
  const Points& keep(std::unique_ptr<Points> view);
  static void visit_leaves(const Node& node, const auto& visit);
  // `rows` rows of n values. measure(leaf, out, stride) is asked for the sums of every leaf, in the
  // order of visit_leaves.
  static void evaluate(const Node& node, int64_t rows, int64_t n, const auto& measure, T* out,
                       int64_t stride);

  int64_t size_;
  bool sparse_;
  Purpose purpose_;
  std::vector<std::unique_ptr<Points>> views_;
  std::vector<std::pair<const Points*, std::shared_ptr<const Panels<T>>>> packed_;
  Node top_;  // after what it refers to
};

// out[r * rows.size() + c] = k(rows[r], rows[c]) - offset for the rows that the tiles have packed;
// left half-way when the monitor stops it. Only the upper triangle is computed, but for small squares
// on the diagonal: a value and its mirror image are the same bits.
template <class T>
void kernel_block(const Tiles<T>& tiles, std::span<const int64_t> rows, T* out,
                  const Workers& workers);

// The same for rows that are packed for this block only.
template <class T>
void kernel_block(const Kernel& kernel, const Points& points, std::span<const int64_t> rows, T* out,
                  const Workers& workers);

// out[places[r] * n + c] = out[c * n + places[r]] = k(rows[r], columns[c]) - offset for n columns,
// of which rows[r] is the one at places[r]; left half-way when the monitor stops it.
template <class T>
void kernel_cross(const Kernel& kernel, const Points& points, std::span<const int64_t> rows,
                  std::span<const int64_t> places, std::span<const int64_t> columns, T* out,
                  const Workers& workers);

// out[r * stride + c] = mirror[c * stride + r] = k(rows[r], columns[c]) - offset; left half-way
// when the monitor stops it.
template <class T>
void kernel_rectangle(const Kernel& kernel, const Points& points, std::span<const int64_t> rows,
                      std::span<const int64_t> columns, T* out, T* mirror, int64_t stride,
                      const Workers& workers);

}  // namespace svm
