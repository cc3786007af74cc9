// The memory of the machine.
#pragma once

#include <cstdint>

namespace svm {

// Bytes, whoever uses them.
int64_t physical_memory();

}  // namespace svm
