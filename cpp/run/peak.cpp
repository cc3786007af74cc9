#include "run/peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "run/parallel.h"
#include "simd/table.h"

namespace svm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const auto& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The sum of the threads' rates, where work(thread) returns how much it has done; the best of a
// few.
double best_rate(int threads, int repeats, const auto& work) {
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::atomic<double> rate = 0;
    parallel_for(threads, threads, [&](int64_t thread) {
      double done = 0;
      const double seconds = seconds_of([&] { done = work(thread); });
      rate.fetch_add(done / seconds);
    });
    best = std::max(best, rate.load());
  }
  return best;
}

double peak_flops(int threads) {
  std::atomic<float> sink;  // keeps results that nobody reads
  return best_rate(threads, 5, [&](int64_t) {
    float sum;
    const int64_t done = simd::table().f32.multiply_adds(10'000, &sum);
    sink.store(sum, std::memory_order_relaxed);
    return static_cast<double>(done);
  });
}

// As in the engine: pieces of long rows, added to a block of the gradient that stays in the cache.
double peak_bandwidth(int threads) {
  constexpr int64_t kRow = 4 << 20, kBlock = 1024;
  std::vector<std::unique_ptr<float[]>> rows(threads);
  std::vector<std::vector<double>> sums(threads, std::vector<double>(kBlock));
  parallel_for(threads, threads, [&](int64_t thread) {
    rows[thread] = std::make_unique_for_overwrite<float[]>(kRow);
    std::fill_n(rows[thread].get(), kRow, 1.0F);
  });
  return best_rate(threads, 2, [&](int64_t thread) {
    for (int64_t begin = 0; begin < kRow; begin += kBlock) {
      simd::table().f32.add(rows[thread].get() + begin, 0.5, sums[thread].data(), kBlock);
    }
    return static_cast<double>(kRow * sizeof(float));
  });
}

double pair_step() {
  constexpr int64_t n = 256, kSteps = 200;
  const auto& loops = simd::table().f32;
  std::vector<float> up(n), down(n), diagonal(n, 1.0F), f(n), offset(n, 0.0F), along(n, 0.0F);
  for (int64_t k = 0; k < n; ++k) {
    f[k] = static_cast<float>(k * 37 % n) / n;
    up[k] = 0.9F / static_cast<float>(1 + k % 7), down[k] = 0.8F / static_cast<float>(1 + k % 5);
  }
  const simd::PairCurvatures<float> curvatures{up.data(), diagonal.data(), 1.0F, along.data(), 0.5F,
                                               0.1F};
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 5; ++repeat) {
    best = std::min(best, seconds_of([&] {
                      float low, gain, violation;
                      for (int64_t k = 0; k < kSteps; ++k) {
                        loops.move(up.data(), down.data(), 0.5, 0.0, along.data(), f.data(),
                                   offset.data(), n, &low);
                        loops.partner(curvatures, f.data(), offset.data(), low, 1.0, n, &gain,
                                      &violation);
                      }
                    }));
  }
  return best / kSteps;
}

}  // namespace

Peak measure_peak(int threads) {
  return {peak_flops(threads), peak_bandwidth(threads), pair_step()};
}

}  // namespace svm
