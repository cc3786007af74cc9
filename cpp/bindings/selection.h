// Searches: the models of every kernel, split and C.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_selection(nanobind::module_& m);

}  // namespace bindings
