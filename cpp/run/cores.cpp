#include "run/cores.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cstdio>
#include <thread>

namespace svm {
namespace {

int allowed_cores() {
#ifdef __linux__
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

// Of a control group; more than any machine has where there is none.
int quota_cores() {
  long long quota = 0, period = 0;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    if (std::fscanf(file, "%lld %lld", &quota, &period) != 2) quota = 0;
    std::fclose(file);
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::max(1LL, quota / period)) : 1 << 20;
}

}  // namespace

int usable_cores() {
  static const int quota = quota_cores();  // a file takes longer than most of a small fit
  return std::max(1, std::min(allowed_cores(), quota));
}

}  // namespace svm
