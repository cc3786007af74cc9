// One small pool of threads for the whole process.
//
// Work is cut into blocks whose number never depends on the number of threads, so that results are
// the same bits for any count. Idle threads sleep. A forked child starts with a new pool. When the
// pool is busy (another fit in another thread, or a nested call) the caller does the work alone.
#pragma once

#include <cstdint>
#include <functional>

namespace svm {

// Runs task(0) .. task(count - 1) on up to `threads` threads, the caller among them. After each of
// its own blocks, and while it waits for those of others, the caller asks between(): true leaves
// out the blocks that have not begun.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& task,
                  const std::function<bool()>& between = {});

}  // namespace svm
