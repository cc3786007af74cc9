// The hot loops of one core beside what that core can do at most, both measured here and now.
//
// Compiled for the machine it runs on, because the peaks of memory have to be reached by plain
// code; the loops themselves come from the library's own table.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "simd/table.h"

namespace {

volatile double sink;  // keeps results that nobody reads

// The best time of a call, in seconds, from batches that are long enough for the clock.
template <class Work>
double seconds(Work work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  int64_t calls = 1;
  for (double spent = 0; spent < 0.3;) {
    const auto start = Clock::now();
    for (int64_t k = 0; k < calls; ++k) work();
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, time / calls);
    spent += time;
    if (time < 1e-3) calls *= 2;
  }
  return best;
}

double peak_flops(const svm::simd::Loops<float>& loops) {
  int64_t operations = 0;
  const double time = seconds([&] {
    float sum;
    operations = loops.multiply_adds(1000, &sum);
    sink = sum;
  });
  return static_cast<double>(operations) / time;
}

// Bytes a second of s_i += w r_i, the pattern of a gradient, in one precision: for arrays that fit
// the first cache, or none.
double peak_bandwidth(int64_t n) {
  std::vector<double> sum(n, 0.0), row(n, 1.0);
  const double time = seconds([&] {
    double *s = sum.data(), *r = row.data();
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) s[i] += 0.5 * r[i];
    asm volatile("" : : "r"(s), "r"(r) : "memory");
  });
  return 24.0 * n / time;
}

void show(const char* what, double value, const char* unit, double peak, const char* of) {
  std::printf("%-34s %8.1f %-9s", what, value, unit);
  if (peak > 0) std::printf(" %4.0f %% of %s", 100 * value / peak, of);
  std::printf("\n");
}

// One tile of kernel values: 6 rows against a panel, at several depths, the panels in the cache.
void tiles(const svm::simd::Loops<float>& loops, double peak) {
  constexpr int kRows = svm::simd::kTileRows;
  for (const int64_t depth : {16, 64, 256, 784}) {
    const int64_t panels = std::max<int64_t>(1, (256 << 10) / (4 * depth * loops.width));
    std::vector<float> left(depth * kRows, 0.5F), right(panels * depth * loops.width, 0.25F);
    std::vector<float> out(kRows * panels * loops.width);
    const auto all = [&](auto tile) {
      return seconds([&] {
        for (int64_t p = 0; p < panels; ++p) {
          tile(left.data(), right.data() + p * depth * loops.width, depth,
               out.data() + p * loops.width, panels * loops.width);
        }
      });
    };
    const double entries = static_cast<double>(kRows) * panels * loops.width * depth;
    char name[64];
    std::snprintf(name, sizeof name, "tile, dot products, d = %d", static_cast<int>(depth));
    show(name, 2 * entries / all(loops.dots) / 1e9, "GF/s", peak / 1e9, "peak");
    std::snprintf(name, sizeof name, "tile, distances, d = %d", static_cast<int>(depth));
    show(name, 3 * entries / all(loops.squares) / 1e9, "GF/s", peak / 1e9, "peak");
  }
}

void exponential(const svm::simd::Loops<float>& loops) {
  std::vector<float> values(4096, 0.5F);
  const double time = seconds([&] {
    std::fill(values.begin(), values.end(), 0.5F);
    loops.decay(values.data(), static_cast<int64_t>(values.size()), 0.7F);
  });
  show("exponentials", values.size() / time / 1e9, "G/s", 0, "");
}

// The two passes of a pair step on a working set of 256, and the bytes that they touch.
void pair_step(const svm::simd::Loops<float>& loops, double peak) {
  constexpr int64_t n = 256, kBytes = 28 + 20;  // move, partner, per variable
  std::vector<float> up(n), down(n), diagonal(n, 1.0F), f(n), offset(n, 0.0F), along(n, 0.0F);
  for (int64_t k = 0; k < n; ++k) {
    f[k] = static_cast<float>(k * 37 % n) / n;
    up[k] = 0.9F / (1 + k % 7), down[k] = 0.8F / (1 + k % 5);
  }
  const double time = seconds([&] {
    float low, gain, violation;
    const int64_t i = loops.move(up.data(), down.data(), 0.5, 0.0, along.data(), f.data(),
                                 offset.data(), n, &low);
    const int64_t j = loops.partner({up.data(), diagonal.data(), 1.0F, along.data(), 0.5F, 0.1F},
                                    f.data(), offset.data(), low, 1.0, n, &gain, &violation);
    sink = static_cast<double>(i + j) + violation;
  });
  show("pair step, 256 variables", 1e9 * time, "ns", 0, "");
  show("  the bytes it touches", kBytes * n / time / 1e9, "GB/s", peak / 1e9, "the first cache's");
}

void gradient(const svm::simd::Loops<float>& loops, double peak) {
  constexpr int64_t n = 1 << 25;
  std::vector<float> row(n, 1.0F);
  std::vector<double> sum(n, 0.0);
  const double time = seconds([&] { loops.add(row.data(), 0.5, sum.data(), n); });
  show("gradient, float32 row to float64", 20.0 * n / time / 1e9, "GB/s", peak / 1e9, "memory's");
}

}  // namespace

int main() {
  const svm::simd::Table& table = svm::simd::table();
  const double flops = peak_flops(table.f32), first = peak_bandwidth(1024),
               memory = peak_bandwidth(1 << 25);
  std::printf("one core, float32, instruction set %s\n", table.name);
  show("peak, multiply-adds", flops / 1e9, "GF/s", 0, "");
  show("peak, first cache", first / 1e9, "GB/s", 0, "");
  show("peak, memory", memory / 1e9, "GB/s", 0, "");
  tiles(table.f32, flops);
  exponential(table.f32);
  pair_step(table.f32, first);
  gradient(table.f32, memory);
}
