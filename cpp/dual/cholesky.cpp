#include "dual/cholesky.h"

#include <algorithm>
#include <cmath>

namespace svm {

template <size_t kRows>
void Cholesky::turn(size_t first, size_t begin, size_t end, const Rotation* rotations) {
  std::array<double, kRows> carried;
  for (size_t k = 0; k < kRows; ++k) carried[k] = row(first + k)[begin];
  for (size_t c = begin; c < end; ++c) {
    const auto [cosine, sine] = rotations[c - begin];
    for (size_t k = 0; k < kRows; ++k) {
      double* x = row(first + k) + c;
      const double next = x[1];
      x[0] = cosine * carried[k] + sine * next;
      carried[k] = cosine * next - sine * carried[k];
    }
  }
  for (size_t k = 0; k < kRows; ++k) row(first + k)[end] = carried[k];
}

bool Cholesky::append(int64_t count, const Workers& workers, const Entries& entries,
                      const Pivot& pivot) {
  reserve(size_ + static_cast<size_t>(count));
  for (int64_t first = 0; first < count; first += kPanel) {
    if (!append_panel(first, std::min(kPanel, count - first), workers, entries, pivot)) {
      return false;
    }
  }
  return true;
}

void Cholesky::erase(size_t place) {
  std::vector<Rotation> rotations(size_ - place);
  for (size_t first = place; first + 1 < size_; first += kTurned) {
    const size_t last = std::min(size_ - 1, first + kTurned);
    const bool whole = last == first + kTurned;
    const size_t begin = whole ? first : place;
    for (size_t r = first; r < last; ++r) std::copy_n(row(r + 1), r + 2, row(r));
    if (whole) turn<kTurned>(first, place, first, rotations.data());
    for (size_t r = first; r < last; ++r) {
      turn<1>(r, begin, r, rotations.data() + (begin - place));
      const double x = row(r)[r], y = row(r)[r + 1], norm = std::hypot(x, y);
      rotations[r - place] = {x / norm, y / norm};
      row(r)[r] = norm;
    }
  }
  --size_;
}

void Cholesky::back_substitute(std::vector<double>& y) const {
  for (size_t k = size_; k-- > 0;) {
    y[k] /= row(k)[k];
    loops_.add(row(k), -y[k], y.data(), static_cast<int64_t>(k));
  }
}

void Cholesky::reserve(size_t rows) {
  if (rows <= stride_) return;
  const size_t wider = std::max(rows, std::min(2 * stride_, most_));
  auto values = large_pages<double>(wider * wider);
  for (size_t k = 0; k < size_; ++k) std::copy_n(row(k), k + 1, values.get() + k * wider);
  values_.swap(values);
  stride_ = wider;
}

bool Cholesky::append_panel(int64_t first, int64_t count, const Workers& workers,
                            const Entries& entries, const Pivot& pivot) {
  const int64_t known = static_cast<int64_t>(size_);
  std::vector<double> panel(count * known), inner(count * kPanel);
  const int64_t chunks = (count + kChunk - 1) / kChunk;
  const bool filled = workers.run(chunks, [&](int64_t chunk) {
    for (int64_t r = chunk * kChunk; r < std::min(count, (chunk + 1) * kChunk); ++r) {
      entries(first + r, 0, known, panel.data() + r * known);
    }
  });
  if (!filled || !forward(panel, count, inner, workers)) return false;
  // What is left is a small factor of the panel's own: inner has products of its rows.
  for (int64_t r = 0; r < count; ++r) {
    const int64_t k = static_cast<int64_t>(size_), own = k - known;
    double* x = inner.data() + r * kPanel;
    std::array<double, kPanel> y, values;
    entries(first + r, known, k, values.data());
    for (int64_t c = 0; c < own; ++c) {
      const double* l = row(known + c) + known;
      const double rest = values[c] - x[sources_[c]];
      y[c] = (rest - loops_.dot(l, y.data(), c)) / l[c];
    }
    const double square = pivot(first + r, x[r] + loops_.dot(y.data(), y.data(), own));
    if (!(square > 0)) continue;
    std::copy_n(panel.data() + r * known, known, row(k));
    std::copy_n(y.data(), own, row(k) + known);
    row(k)[k] = std::sqrt(square);
    sources_[own] = r;
    ++size_;
  }
  return true;
}

bool Cholesky::forward(std::vector<double>& panel, int64_t count, std::vector<double>& products,
                       const Workers& workers) {
  const int64_t known = static_cast<int64_t>(size_);
  if (count < kFewRows) {
    for (int64_t r = 0; r < count; ++r) {
      double* x = panel.data() + r * known;
      substitute(x);
      for (int64_t c = 0; c <= r; ++c) {
        products[r * kPanel + c] = loops_.dot(x, panel.data() + c * known, known);
      }
    }
    return true;
  }
  const int64_t chunks = (count + kChunk - 1) / kChunk;
  for (int64_t begin = 0; begin < known; begin += kPanel) {
    const int64_t columns = std::min(kPanel, known - begin);
    if (!pack(row(begin), stride_, columns, begin, workers)) return false;
    const bool complete = workers.run(chunks, [&](int64_t chunk) {
      const int64_t r = chunk * kChunk, rows = std::min(kChunk, count - r);
      double* x = panel.data() + r * known;
      subtract(x, known, rows, begin, columns, x + begin, known);
      std::array<double, kChunk * kPanel> systems = {};
      loops_.transpose(x + begin, known, rows, columns, systems.data(), kChunk);
      loops_.solve(row(begin) + begin, stride_, columns, systems.data());
      loops_.transpose(systems.data(), kChunk, columns, rows, x + begin, known);
    });
    if (!complete) return false;
  }
  if (!pack(panel.data(), known, count, known, workers)) return false;
  return workers.run(chunks, [&](int64_t chunk) {
    const int64_t r = chunk * kChunk, rows = std::min(kChunk, count - r);
    double* out = products.data() + r * kPanel;
    subtract(panel.data() + r * known, known, rows, known, count, out, kPanel);
    for (int64_t k = 0; k < rows * kPanel; ++k) out[k] = -out[k];
  });
}

void Cholesky::substitute(double* x) const {
  for (int64_t c = 0; c < static_cast<int64_t>(size_); ++c) {
    x[c] = (x[c] - loops_.dot(row(c), x, c)) / row(c)[c];
  }
}

bool Cholesky::pack(const double* rows, int64_t stride, int64_t count, int64_t depth,
                    const Workers& workers) {
  const int64_t width = loops_.width, padded = (count + width - 1) / width * width;
  // What stays in the last panel's empty places goes into sums that nobody reads.
  if (static_cast<int64_t>(packed_.size()) < padded * depth) packed_.resize(padded * depth);
  return workers.run((depth + kDepth - 1) / kDepth, [&](int64_t block) {
    const int64_t begin = block * kDepth, length = std::min(kDepth, depth - begin);
    for (int64_t r = 0; r < count; r += width) {
      loops_.transpose(rows + r * stride + begin, stride, std::min(width, count - r), length,
                       packed_.data() + padded * begin + r * length, width);
    }
  });
}

void Cholesky::subtract(const double* x, int64_t x_stride, int64_t rows, int64_t depth,
                        int64_t columns, double* out, int64_t stride) const {
  const int64_t width = loops_.width, panels = (columns + width - 1) / width;
  std::array<double, kChunk * kPanel> sums;
  static_assert(kPanel % 16 == 0);  // so that every width fits
  for (int64_t begin = 0; begin < depth; begin += kDepth) {
    loops_.weigh(x + begin, x_stride, rows, packed_.data() + panels * width * begin,
                 std::min(kDepth, depth - begin), panels, sums.data(), kPanel);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) out[r * stride + c] -= sums[r * kPanel + c];
    }
  }
}

}  // namespace svm
