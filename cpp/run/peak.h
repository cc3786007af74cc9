// What this machine can do at most, measured when it is asked for: the roof that a fit is held
// against. It takes about a hundredth of a second.
#pragma once

namespace svm {

struct Peak {
  double flops;      // float32 operations a second, multiply-adds on registers alone
  double bandwidth;  // bytes a second of kernel rows from memory, added to a vector
  double pair_step;  // seconds of a step on a working set in the cache
};

// Of so many threads at once; a pair step has only one. Each thread times its own share and the
// rates are added: where they did not run side by side the roof is too high, never too low.
Peak measure_peak(int threads);

}  // namespace svm
