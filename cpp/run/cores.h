// The cores this process may use.
#pragma once

namespace svm {

// Those of its affinity mask, where the system has one, cut down by a control group's quota.
int usable_cores();

}  // namespace svm
