// Vectors of the core as numpy arrays, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

template <class T>
nanobind::ndarray<nanobind::numpy, T> owned(std::vector<T> values, std::vector<size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept,
                                [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), shape.size(), shape.data(), owner};
}
