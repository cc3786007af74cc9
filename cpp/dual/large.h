// Problems whose matrix is not in memory: kernel rows when they are needed, in rounds that each end
// with a certificate.
#pragma once

#include "dual/fit.h"

namespace svm {

void solve_large(Fit& fit);

}  // namespace svm
