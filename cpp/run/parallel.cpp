#include "run/parallel.h"

#ifndef _WIN32
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace svm {
namespace {

struct Job {
  Job(const std::function<void(int64_t)>& task, int64_t count) : task(task), count(count) {}

  const std::function<void(int64_t)>& task;
  const int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic<bool> cancelled{false};
  std::mutex error_lock;
  std::exception_ptr error;

  // Takes one block; false when none is left.
  bool run_one() {
    if (cancelled.load(std::memory_order_relaxed)) return false;
    const int64_t block = next.fetch_add(1, std::memory_order_relaxed);
    if (block >= count) return false;
    keep_error([&] { task(block); });
    return true;
  }

  // Asks the caller whether to leave out the rest.
  void ask(const std::function<bool()>& between) {
    if (!between) return;
    keep_error([&] {
      if (between()) cancelled.store(true, std::memory_order_relaxed);
    });
  }

 private:
  // The first exception ends the job; it waits until nobody works on it any more.
  template <class Step>
  void keep_error(const Step& step) {
    try {
      step();
    } catch (...) {
      const std::lock_guard<std::mutex> guard(error_lock);
      if (!error) error = std::current_exception();
      cancelled.store(true, std::memory_order_relaxed);
    }
  }
};

// Waits for a condition without sleeping, for as long as it takes to wake a sleeper; then says
// whether it holds. Others that want the core get it.
bool spin(const auto& holds) {
  constexpr auto kWakeUp = std::chrono::microseconds(100);
  const auto end = std::chrono::steady_clock::now() + kWakeUp;
  for (; !holds(); std::this_thread::yield()) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

class Pool {
 public:
  std::mutex busy;  // held by the one caller whose job the threads work on

  void run(Job& job, int helpers, const std::function<bool()>& between) {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      grow(helpers);
      job_ = &job;
      wanted_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    while (job.run_one()) job.ask(between);
    close(job, between);
  }

 private:
  // Where there is no memory or leave for another thread, those that are there do the work.
  void grow(int helpers) try {
    for (; size_ < helpers; ++size_) {
      std::thread([this, place = size_] { work(place); }).detach();
    }
  } catch (const std::exception&) {
  }

  // Nobody joins any more, and those who did have left. Who has not woken up yet is not waited for.
  void close(Job& job, const std::function<bool()>& between) {
    std::unique_lock<std::mutex> guard(lock_);
    job_ = nullptr;
    guard.unlock();
    const auto alone = [this] { return running_ == 0; };
    if (spin(alone)) return;
    // Blocks may be long: the caller goes on asking while others finish theirs.
    constexpr auto kPatience = std::chrono::milliseconds(20);
    guard.lock();
    while (!done_.wait_for(guard, kPatience, alone)) {
      guard.unlock();
      job.ask(between);
      guard.lock();
    }
  }

  void work(int place) {
    uint64_t seen = 0;
    const auto news = [&] { return generation_ != seen; };
    for (;;) {
      spin(news);
      std::unique_lock<std::mutex> guard(lock_);
      wake_.wait(guard, news);
      seen = generation_;
      Job* job = place < wanted_ ? job_ : nullptr;
      if (job == nullptr) continue;
      ++running_;
      guard.unlock();
      while (job->run_one()) {
      }
      guard.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex lock_;
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;  // until its caller has taken the last block
  std::atomic<uint64_t> generation_ = 0;
  std::atomic<int> running_ = 0;
  int size_ = 0, wanted_ = 0;
};

// Never destroyed: its threads may sleep until the process ends.
std::atomic<Pool*> shared_pool{nullptr};

// Threads do not survive a fork: the child leaves the parent's pool alone and makes its own.
void forget_pool_in_children() {
#ifndef _WIN32
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { shared_pool.store(nullptr); });
  static_cast<void>(registered);
#endif
}

Pool& pool() {
  forget_pool_in_children();
  Pool* current = shared_pool.load();
  if (current == nullptr) {
    Pool* fresh = new Pool;
    if (shared_pool.compare_exchange_strong(current, fresh)) return *fresh;
    delete fresh;
  }
  return *current;
}

}  // namespace

void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& task,
                  const std::function<bool()>& between) {
  const int helpers = static_cast<int>(std::min<int64_t>(threads, count)) - 1;
  std::unique_lock<std::mutex> claim;
  Pool* threads_pool = helpers > 0 ? &pool() : nullptr;
  if (threads_pool != nullptr) claim = {threads_pool->busy, std::try_to_lock};
  if (!claim.owns_lock()) {
    for (int64_t block = 0; block < count; ++block) {
      task(block);
      if (between && between()) return;
    }
    return;
  }
  Job job(task, count);
  threads_pool->run(job, helpers, between);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace svm
