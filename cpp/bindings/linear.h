// The linear engine in the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_linear(nanobind::module_& m);

}  // namespace bindings
