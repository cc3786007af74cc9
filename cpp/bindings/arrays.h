// Arrays of the caller as views, and arrays for the caller.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
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
nb::ndarray<nb::numpy, T> owned(std::vector<T> values, std::vector<size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), shape.size(), shape.data(), owner};
}

// The same of memory in large pages.
template <class T>
nb::ndarray<nb::numpy, T> owned(std::unique_ptr<T[], svm::Free> values, std::vector<size_t> shape) {
  using Pages = std::unique_ptr<T[], svm::Free>;
  auto* kept = new Pages(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Pages*>(p); });
  return {kept->get(), shape.size(), shape.data(), owner};
}

}  // namespace bindings
