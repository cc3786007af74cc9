// What a fit has done, and where its time went.
//
// Counts are made where work is handed out, on the thread that runs the fit: they cost nothing and
// do not depend on the number of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace svm {

struct Work {
  using Clock = std::chrono::steady_clock;

  int64_t kernel_entries = 0;  // values computed, or looked up in a matrix that was given
  int64_t exact_entries = 0;   // of them, in float64
  int64_t cache_hits = 0;      // rows that a change of the gradient found in the cache
  int64_t bytes = 0;           // of rows and gradients that such changes read and wrote
  // Seconds of kernel values, of adding rows to the gradient, of pair steps, of Newton steps; those
  // of the certificates, and what is left, are in none of them.
  double kernel_seconds = 0, gradient_seconds = 0, pair_seconds = 0, newton_seconds = 0;

  template <class T>
  void evaluate(int64_t entries) {
    kernel_entries += entries;
    if (std::is_same_v<T, double>) exact_entries += entries;
  }

  Work& operator+=(const Work& other) {
    kernel_entries += other.kernel_entries, exact_entries += other.exact_entries;
    cache_hits += other.cache_hits, bytes += other.bytes;
    kernel_seconds += other.kernel_seconds, gradient_seconds += other.gradient_seconds;
    pair_seconds += other.pair_seconds, newton_seconds += other.newton_seconds;
    return *this;
  }

  // Operations of the entries with `length` products each, of float32: those of float64 count
  // twice. A Gaussian value takes 2 a product and about 22 for the rest, mostly the exponential.
  double flops(double length) const {
    return (2 * length + 22) * static_cast<double>(kernel_entries + exact_entries);
  }
};

// Adds the time of its life to a sum.
class Stopwatch {
 public:
  using Clock = Work::Clock;
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  Clock::time_point start_ = Clock::now();
};

// Shares the time of its life out between kernel values and the gradient, as the threads that did
// both have spent theirs.
class Split {
 public:
  using Clock = Work::Clock;
  explicit Split(Work& work) : work_(work) {}
  ~Split() {
    const double computing = computing_.load(), both = computing + adding_.load();
    const double share = both > 0 ? computing / both : 0;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    work_.kernel_seconds += share * seconds;
    work_.gradient_seconds += (1 - share) * seconds;
  }
  Split(const Split&) = delete;
  Split& operator=(const Split&) = delete;

  void add(Clock::duration computing, Clock::duration adding) {
    computing_.fetch_add(std::chrono::duration<double>(computing).count());
    adding_.fetch_add(std::chrono::duration<double>(adding).count());
  }

 private:
  Work& work_;
  std::atomic<double> computing_ = 0, adding_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace svm
