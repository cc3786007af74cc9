#include "run/parallel.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/check.h"

TEST(every_block_runs_once) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> runs(1000, 0);
    svm::parallel_for(1000, threads, [&](int64_t b) { ++runs[b]; });
    for (const int r : runs) CHECK(r == 1, threads);
  }
}

TEST(an_exception_of_a_block_reaches_the_caller) {
  bool caught = false;
  try {
    svm::parallel_for(100, 3, [](int64_t b) {
      if (b == 57) throw std::runtime_error("57");
    });
  } catch (const std::runtime_error& error) {
    caught = std::string(error.what()) == "57";
  }
  CHECK(caught);
}

TEST(the_caller_can_leave_blocks_out) {
  std::atomic<int> runs{0};
  svm::parallel_for(int64_t(1) << 40, 2, [&](int64_t) { ++runs; }, [] { return true; });
  CHECK(runs > 0);
}

TEST(the_caller_is_asked_while_it_waits_for_others) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> asked{0};
  svm::parallel_for(
      2, 2,
      [&](int64_t) {
        // The first time is after the caller's own block.
        while (std::this_thread::get_id() != caller && asked < 2) std::this_thread::yield();
      },
      [&] { return ++asked, false; });
  CHECK(asked >= 2);
}

TEST(nested_and_simultaneous_calls_do_not_wait_for_each_other) {
  std::atomic<int> runs{0};
  const auto work = [&] {
    svm::parallel_for(20, 2, [&](int64_t) { svm::parallel_for(10, 2, [&](int64_t) { ++runs; }); });
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(runs == 400);
}

#ifndef _WIN32
TEST(a_forked_child_has_a_pool_of_its_own) {
  svm::parallel_for(10, 2, [](int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> runs{0};
    svm::parallel_for(10, 2, [&](int64_t) { ++runs; });
    _exit(runs == 10 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif
