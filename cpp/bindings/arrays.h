// Arrays of the caller as views, and arrays for the caller.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/large_pages.h"

namespace nb = nanobind;

namespace bindings {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Groups = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Array>
std::span<const T> view(const Array& array) {
  return {array.data(), array.size()};
}

template <class T>
T* start_of(std::vector<T>& values) {
  return values.data();
}
template <class T>
T* start_of(std::unique_ptr<T[], svm::Free>& values) {
  return values.get();
}

// An array of the caller, which keeps the memory that it is in.
template <class Memory>
auto handed_over(std::unique_ptr<Memory> kept, const std::vector<size_t>& shape) {
  auto* first = start_of(*kept);
  const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<Memory*>(p); });
  kept.release();  // to the capsule, once there is one
  using T = std::remove_pointer_t<decltype(first)>;
  return nb::ndarray<nb::numpy, T>(first, shape.size(), shape.data(), owner);
}

template <class T>
nb::ndarray<nb::numpy, T> owned(std::vector<T> values, std::vector<size_t> shape) {
  return handed_over(std::make_unique<std::vector<T>>(std::move(values)), shape);
}

// The same of memory in large pages.
template <class T>
nb::ndarray<nb::numpy, T> owned(std::unique_ptr<T[], svm::Free> values, std::vector<size_t> shape) {
  return handed_over(std::make_unique<std::unique_ptr<T[], svm::Free>>(std::move(values)), shape);
}

}  // namespace bindings
