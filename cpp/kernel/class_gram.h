// The kernel matrix of a problem whose rows are some classes, one after the other. What the classes
// have is taken from there; values are the same bits as if they were computed.
#pragma once

#include <memory>
#include <vector>

#include "kernel/gram.h"
#include "kernel/row_class.h"

namespace svm {

using RowClasses = std::vector<const RowClass*>;

// What no class has is left to the problem's `own` matrix.
std::unique_ptr<Gram> class_gram(std::unique_ptr<Gram> own, RowClasses classes);

}  // namespace svm
