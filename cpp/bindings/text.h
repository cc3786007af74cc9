// Adds the text formats to the Python module.
#pragma once

#include <nanobind/nanobind.h>

void bind_text(nanobind::module_& m);
