// Adds explanations to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_explain(nanobind::module_& m);

}  // namespace bindings
