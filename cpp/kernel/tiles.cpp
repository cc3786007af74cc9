#include "kernel/tiles.h"

#include <algorithm>

#include "kernel/listed_panels.h"
#include "kernel/panels.h"
#include "kernel/sparse_panels.h"

namespace svm {

template <class T>
Tiles<T>::Tiles(const Kernel& kernel, const Points& left, const Points& right,
                std::span<const int64_t> which, bool nearly_dense, const Workers& workers,
                Purpose purpose)
    : size_(static_cast<int64_t>(which.size())),
      sparse_(right.sparse() && !nearly_dense),
      purpose_(purpose),
      top_(make(kernel, left, right, which, workers)) {}

template <class T>
Tiles<T>::Tiles(const Tiles& packed, const Points& left)
    : size_(packed.size_),
      sparse_(packed.sparse_),
      purpose_(packed.purpose_),
      top_(turn(packed.top_, left)) {}

template <class T>
void Tiles<T>::visit_leaves(const Node& node, const auto& visit) {
  if (node.parts.empty()) visit(node);
  for (const Node& part : node.parts) visit_leaves(part, visit);
}

template <class T>
void Tiles<T>::evaluate(const Node& node, int64_t rows, int64_t n, const auto& measure, T* out,
                        int64_t stride) {
  if (node.parts.empty()) {
    measure(node, out, stride);
    for (int64_t r = 0; r < rows; ++r) node.kernel.apply(out + r * stride, n);
    return;
  }
  const simd::Loops<T>& loops = simd::table().loops<T>();
  const bool product = node.kernel.kind == KernelKind::product;
  const int64_t room = (n + kPadding - 1) / kPadding * kPadding;
  std::vector<T> other(node.parts.size() > 1 ? kLeftRows * room : 0);
  evaluate(node.parts[0], rows, n, measure, out, stride);
  double constant = node.parts[0].kernel.offset();
  for (size_t p = 1; p < node.parts.size(); ++p) {
    const double next = node.parts[p].kernel.offset();
    evaluate(node.parts[p], rows, n, measure, other.data(), room);
    for (int64_t r = 0; r < rows; ++r) {
      T *values = out + r * stride, *more = other.data() + r * room;
      if (product) {
        loops.times(values, static_cast<T>(constant), more, static_cast<T>(next), n);
      } else {
        loops.plus(values, more, n);
      }
    }
    constant *= next;
  }
  for (int64_t r = 0; r < rows; ++r) node.kernel.apply(out + r * stride, n);
}

template <class T>
typename Tiles<T>::Node Tiles<T>::make(const Kernel& kernel, const Points& left,
                                       const Points& right, std::span<const int64_t> which,
                                       const Workers& workers) {
  if (kernel.columns != nullptr) {
    Kernel inner = kernel;
    inner.columns = nullptr;
    Node node = make(inner, keep(left.choose(*kernel.columns)), keep(right.choose(*kernel.columns)),
                     which, workers);
    node.kernel.columns = kernel.columns;
    return node;
  }
  if (!kernel.parts.empty()) {
    Node node{kernel, &left, nullptr, {}};
    for (const Kernel& part : kernel.parts) {
      node.parts.push_back(make(part, left, right, which, workers));
    }
    return node;
  }
  if (kernel.kind == KernelKind::cosine) {
    const Points& unit = keep(right.unit());
    return {kernel, &keep(left.unit()), pack(unit, which, workers), {}};
  }
  const auto same = [&](const auto& packed) { return packed.first == &right; };
  const auto found = std::find_if(packed_.begin(), packed_.end(), same);
  if (found != packed_.end()) return {kernel, &left, found->second, {}};
  packed_.emplace_back(&right, pack(right, which, workers));
  return {kernel, &left, packed_.back().second, {}};
}

template <class T>
std::shared_ptr<const Panels<T>> Tiles<T>::pack(const Points& right, std::span<const int64_t> which,
                                                const Workers& workers) const {
  if (!sparse_ && purpose_ == Purpose::prediction) {
    return std::make_shared<ListedPanels<T>>(right, which, workers);
  }
  if (!sparse_) return std::make_shared<DensePanels<T>>(right, which, workers);
  return std::make_shared<SparsePanels<T>>(right, which, right.column_numbers());
}

template <class T>
typename Tiles<T>::Node Tiles<T>::turn(const Node& node, const Points& left) {
  const Points* seen = &left;
  if (node.kernel.columns != nullptr) seen = &keep(left.choose(*node.kernel.columns));
  if (node.kernel.kind == KernelKind::cosine) seen = &keep(seen->unit());
  Node turned{node.kernel, seen, node.panels, {}};
  for (const Node& part : node.parts) turned.parts.push_back(turn(part, *seen));
  return turned;
}

template <class T>
const Points& Tiles<T>::keep(std::unique_ptr<Points> view) {
  views_.push_back(std::move(view));
  return *views_.back();
}

template <class T>
void Tiles<T>::rows(std::span<const int64_t> rows, int64_t begin, int64_t end, T* out,
                    int64_t stride) const {
  const auto measure = [&](const Node& leaf, T* values, int64_t apart) {
    leaf.panels->measure(leaf.kernel.measure(), *leaf.left, rows, begin, end, values, apart);
  };
  evaluate(top_, std::ssize(rows), end - begin, measure, out, stride);
}

template <class T>
typename Tiles<T>::Left Tiles<T>::prepare(std::span<const int64_t> rows) const {
  Left left;
  left.count = std::ssize(rows);
  visit_leaves(top_, [&](const Node& leaf) {
    left.leaves.push_back(leaf.panels->prepare(*leaf.left, rows));
  });
  return left;
}

template <class T>
void Tiles<T>::rows(const Left& left, int64_t begin, int64_t end, T* out, int64_t stride) const {
  auto prepared = left.leaves.begin();
  const auto measure = [&](const Node& leaf, T* values, int64_t apart) {
    leaf.panels->measure(leaf.kernel.measure(), **prepared++, begin, end, values, apart);
  };
  evaluate(top_, left.count, end - begin, measure, out, stride);
}

namespace {

// out[c * out_stride + r] = values[r * stride + c], a few rows of it at a time: these stay in the
// cache until they are written.
template <class T>
void turn(const T* values, int64_t stride, int64_t rows, int64_t columns, T* out,
          int64_t out_stride) {
  constexpr int64_t kTurned = 8;
  for (int64_t c = 0; c < columns; c += kTurned) {
    simd::table().loops<T>().transpose(values + c, stride, rows, std::min(kTurned, columns - c),
                                       out + c * out_stride, out_stride);
  }
}

// Values of a few groups of rows on the left, and of some columns at a time, which stay in the
// cache until they have been written twice: use(values, stride, first, count, begin, end) has those
// of rows first .. first + count and columns begin .. end; from(first) says where a row's columns
// begin. Left half-way when the monitor stops it.
template <class T>
void mirrored_tiles(const Tiles<T>& tiles, std::span<const int64_t> rows, const auto& from,
                    const auto& use, const Workers& workers) {
  // A power of two apart, rows would throw one another out of the cache.
  constexpr int64_t kRows = 4 * kLeftRows, kColumns = 128, kStride = kColumns + 16;
  const int64_t m = std::ssize(rows);
  workers.run((m + kRows - 1) / kRows, [&](int64_t b) {
    const auto values = std::make_unique_for_overwrite<T[]>(kRows * kStride);
    const int64_t first = b * kRows, count = std::min(kRows, m - first);
    std::vector<typename Tiles<T>::Left> groups;
    for (int64_t r = 0; r < count; r += kLeftRows) {
      groups.push_back(tiles.prepare(rows.subspan(first + r, std::min(kLeftRows, count - r))));
    }
    for (int64_t begin = from(first); begin < tiles.size(); begin += kColumns) {
      const int64_t end = std::min(tiles.size(), begin + kColumns);
      for (size_t g = 0; g < groups.size(); ++g) {
        const int64_t row = static_cast<int64_t>(g) * kLeftRows;
        const int64_t own = std::max<int64_t>(begin, from(first + row));
        if (own >= end) break;
        tiles.rows(groups[g], own, end, values.get() + row * kStride + own - begin, kStride);
      }
      use(values.get(), kStride, first, count, begin, end);
    }
  });
}

}  // namespace

template <class T>
void kernel_block(const Tiles<T>& tiles, std::span<const int64_t> rows, T* out,
                  const Workers& workers) {
  const int64_t q = tiles.size();
  workers.monitor.work.evaluate<T>(q * (q + 1) / 2);
  const int64_t width = simd::table().loops<T>().width;
  const auto from = [width](int64_t first) { return first / width * width; };
  const auto use = [&](const T* values, int64_t stride, int64_t first, int64_t count, int64_t begin,
                       int64_t end) {
    const auto mirror = [&](int64_t row, int64_t rows, int64_t from, int64_t to) {
      const T* corner = values + row * stride + from - begin;
      turn(corner, stride, rows, to - from, out + from * q + first + row, q);
    };
    const int64_t beyond = std::max(begin, first + count);
    for (int64_t g = 0; g < count; g += kLeftRows) {
      const int64_t last = std::min(count, g + kLeftRows), c = std::max(begin, first + g);
      for (int64_t r = g; r < last && c < end; ++r) {
        std::copy(values + r * stride + c - begin, values + r * stride + end - begin,
                  out + (first + r) * q + c);
      }
      mirror(g, last - g, std::max(begin, first + last), std::min(beyond, end));
    }
    mirror(0, count, beyond, end);
  };
  mirrored_tiles(tiles, rows, from, use, workers);
}

template <class T>
void kernel_block(const Kernel& kernel, const Points& points, std::span<const int64_t> rows, T* out,
                  const Workers& workers) {
  const Tiles<T> tiles(kernel, points, points, rows, points.nearly_dense(), workers);
  kernel_block(tiles, rows, out, workers);
}

template <class T>
void kernel_cross(const Kernel& kernel, const Points& points, std::span<const int64_t> rows,
                  std::span<const int64_t> places, std::span<const int64_t> columns, T* out,
                  const Workers& workers) {
  const int64_t n = std::ssize(columns);
  workers.monitor.work.evaluate<T>(std::ssize(rows) * n);
  const Tiles<T> tiles(kernel, points, points, columns, points.nearly_dense(), workers);
  std::vector<bool> row(n, false);  // written as a row, and not by others as well
  for (const int64_t place : places) row[place] = true;
  const auto from = [](int64_t) { return 0; };
  const auto use = [&](const T* values, int64_t stride, int64_t first, int64_t count, int64_t begin,
                       int64_t end) {
    for (int64_t r = 0; r < count; ++r) {
      std::copy_n(values + r * stride, end - begin, out + places[first + r] * n + begin);
    }
    for (int64_t c = begin; c < end; ++c) {
      if (row[c]) continue;
      for (int64_t r = 0; r < count; ++r) {
        out[c * n + places[first + r]] = values[r * stride + c - begin];
      }
    }
  };
  mirrored_tiles(tiles, rows, from, use, workers);
}

template <class T>
void kernel_rectangle(const Kernel& kernel, const Points& points, std::span<const int64_t> rows,
                      std::span<const int64_t> columns, T* out, T* mirror, int64_t stride,
                      const Workers& workers) {
  const int64_t m = std::ssize(rows), n = std::ssize(columns);
  if (m == 0 || n == 0) return;
  workers.monitor.work.evaluate<T>(m * n);
  const Tiles<T> tiles(kernel, points, points, columns, points.nearly_dense(), workers);
  const auto from = [](int64_t) { return 0; };
  const auto use = [&](const T* values, int64_t apart, int64_t first, int64_t count, int64_t begin,
                       int64_t end) {
    for (int64_t r = 0; r < count; ++r) {
      std::copy_n(values + r * apart, end - begin, out + (first + r) * stride + begin);
    }
    turn(values, apart, count, end - begin, mirror + begin * stride + first, stride);
  };
  mirrored_tiles(tiles, rows, from, use, workers);
}

template class Tiles<float>;
template class Tiles<double>;
template void kernel_block(const Tiles<float>&, std::span<const int64_t>, float*, const Workers&);
template void kernel_block(const Kernel&, const Points&, std::span<const int64_t>, float*,
                           const Workers&);
template void kernel_cross(const Kernel&, const Points&, std::span<const int64_t>,
                           std::span<const int64_t>, std::span<const int64_t>, float*,
                           const Workers&);
template void kernel_rectangle(const Kernel&, const Points&, std::span<const int64_t>,
                               std::span<const int64_t>, float*, float*, int64_t, const Workers&);
template void kernel_block(const Tiles<double>&, std::span<const int64_t>, double*, const Workers&);
template void kernel_block(const Kernel&, const Points&, std::span<const int64_t>, double*,
                           const Workers&);
template void kernel_cross(const Kernel&, const Points&, std::span<const int64_t>,
                           std::span<const int64_t>, std::span<const int64_t>, double*,
                           const Workers&);
template void kernel_rectangle(const Kernel&, const Points&, std::span<const int64_t>,
                               std::span<const int64_t>, double*, double*, int64_t, const Workers&);

}  // namespace svm
