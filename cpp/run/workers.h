// The threads of a fit, and the monitor that may end their work.
#pragma once

#include <cstdint>
#include <functional>

#include "run/monitor.h"
#include "run/parallel.h"

namespace svm {

struct Workers {
  int threads;
  Monitor& monitor;

  // Runs task(0) .. task(count - 1); false when the monitor stopped it before the end.
  bool run(int64_t count, const std::function<void(int64_t)>& task) const {
    parallel_for(count, threads, task, [this] { return monitor.stop(); });
    return !monitor.stopped();
  }
};

}  // namespace svm
