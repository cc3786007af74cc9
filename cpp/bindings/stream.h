// Stochastic descent and its evaluation, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_stream(nanobind::module_& m);

}  // namespace bindings
