// run/parallel.h and run/cores.h for a machine with one thread.
#include "run/parallel.h"

#include "run/cores.h"

namespace svm {

void parallel_for(int64_t count, int, const std::function<void(int64_t)>& task,
                  const std::function<bool()>& between) {
  for (int64_t block = 0; block < count; ++block) {
    task(block);
    if (between && between()) return;
  }
}

int usable_cores() { return 1; }

}  // namespace svm
