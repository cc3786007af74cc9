#include "run/memory.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace svm {

int64_t physical_memory() {
#ifdef _WIN32
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof status;
  GlobalMemoryStatusEx(&status);
  return static_cast<int64_t>(status.ullTotalPhys);
#else
  return static_cast<int64_t>(sysconf(_SC_PAGESIZE)) * sysconf(_SC_PHYS_PAGES);
#endif
}

}  // namespace svm
