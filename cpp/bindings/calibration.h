// Adds the probabilities to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_calibration(nanobind::module_& m);

}  // namespace bindings
