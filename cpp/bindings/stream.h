// Stochastic descent and its evaluation, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void define_stream(nanobind::module_& m);

}  // namespace bindings
