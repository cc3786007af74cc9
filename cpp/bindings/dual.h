// The kernel engine: problems in, certified solutions out.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void bind_dual(nanobind::module_& m);

}  // namespace bindings
