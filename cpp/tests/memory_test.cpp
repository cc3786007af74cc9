// Memory that is refused, at every place where a run asks for it: std::bad_alloc comes out, nothing
// is lost (LeakSanitizer looks when the tests end), and the next run finds what it would have found.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "calibration/softmax.h"
#include "dual/solve.h"
#include "dual/solve_all.h"
#include "explain/shapley.h"
#include "kernel/expansion.h"
#include "linear/crammer_singer.h"
#include "linear/solve.h"
#include "selection/grid.h"
#include "stream/bound.h"
#include "stream/descent.h"
#include "stream/order.h"
#include "tests/check.h"
#include "tests/problem.h"
#include "text/libsvm.h"

namespace {

std::atomic<int64_t> asked = 0, refused = 0;  // requests so far; the first one refused, 0: none
std::atomic<bool> for_good = false;           // all after it, too

bool refuses() {
  const int64_t first = refused.load(std::memory_order_relaxed);
  if (first == 0) return false;
  const int64_t number = asked.fetch_add(1, std::memory_order_relaxed) + 1;
  return number == first || (number > first && for_good.load(std::memory_order_relaxed));
}

}  // namespace

// The linker hands us the core's calls of aligned_alloc (CMakeLists.txt).
extern "C" void* __real_aligned_alloc(size_t alignment, size_t size);
extern "C" void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuses() ? nullptr : __real_aligned_alloc(alignment, size);
}

void* operator new(size_t size) {
  void* memory = refuses() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  void* memory = refuses() ? nullptr : __real_aligned_alloc(unit, (size + unit - 1) / unit * unit);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return refuses() ? nullptr : std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace {

using Numbers = std::vector<double>;

// run() with its k-th request refused, for k = 1, 2, ... until it needs no more than that: each time
// it throws, or does without and finds the same.
template <class Run>
void refuse_each(const Run& run, bool rest) {
  const Numbers expected = run();
  constexpr int64_t kDense = 300;  // from here on every eighth or so is refused
  for (int64_t k = 1;; k += k < kDense ? 1 : k / 8) {
    asked = 0, for_good = rest, refused = k;
    Numbers found;
    bool thrown = false;
    try {
      found = run();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    refused = 0;
    CHECK(thrown || found == expected, k);
    if (asked < k) return;
  }
}
template <class Run>
void refuse_each(const Run& run) {
  for (const bool rest : {false, true}) refuse_each(run, rest);
}

Numbers solve_dual(const test::Clouds& clouds, int threads) {
  svm::Monitor monitor;
  const auto gram = [&](std::span<const int64_t> rows) {
    return svm::make_gram(clouds.points, rows, clouds.gaussian());
  };
  const std::vector<svm::Part> parts(3, {clouds.index, clouds.problem()});
  const svm::Settings settings{.tol_violation = 1e-3, .threads = threads, .alone = false};
  Numbers all;
  for (const svm::Solution& found : svm::solve_all(parts, gram, settings, monitor)) {
    all.insert(all.end(), found.beta.begin(), found.beta.end());
  }
  return all;
}

struct Linear {
  test::Clouds clouds{12, 3, 1};
  svm::DenseProducts<double> rows{svm::DenseRows<double>{clouds.x.data(), clouds.n, clouds.d}};
  svm::linear::Tube loss{clouds.y, clouds.lower, clouds.upper, {}, 0};
  svm::linear::Problem problem{{rows, clouds.index}, loss, {true, 0}, 1};
  svm::Settings settings{.tol_gap = 1e-6};
};

}  // namespace

TEST(a_kernel_machine_survives_refused_memory) {
  const test::Clouds small(16, 3, 1), threaded(90, 3, 1);
  refuse_each([&] { return solve_dual(small, 1); });
  refuse_each([&] { return solve_dual(threaded, 2); });
}

TEST(a_large_kernel_machine_survives_refused_memory) {
  const test::Clouds clouds(700, 3, 1);
  const svm::Settings settings{
      .tol_violation = 0.1, .cache_bytes = 1 << 16, .threads = 2, .alone = false};
  refuse_each(
      [&] {
        svm::Monitor monitor;
        const auto gram = svm::make_gram(clouds.points, clouds.index, clouds.gaussian());
        return svm::solve(*gram, clouds.problem(), settings, {}, monitor).beta;
      },
      false);
}

TEST(linear_machines_survive_refused_memory) {
  Linear machine;
  svm::Monitor monitor;
  for (const auto directions :
       {svm::linear::Directions::matrix, svm::linear::Directions::products}) {
    refuse_each([&] {
      return svm::linear::newton(machine.problem, directions, machine.settings, monitor).w;
    });
  }
  refuse_each([&] { return svm::linear::descend(machine.problem, machine.settings, monitor).w; });
}

TEST(a_machine_of_several_classes_survives_refused_memory) {
  const Linear machine;
  const std::vector<double> C(12, 1.0);
  std::vector<int64_t> label(12);
  for (int64_t i = 0; i < 12; ++i) label[i] = i % 3;
  const svm::linear::crammer_singer::Problem problem{
      machine.clouds.points, {machine.rows, machine.clouds.index}, label, C, 3, {true, 0}};
  svm::Monitor monitor;
  refuse_each([&] {
    return svm::linear::crammer_singer::solve(problem, machine.settings, monitor).primal.w;
  });
}

TEST(a_stream_survives_refused_memory) {
  const test::Clouds clouds(12, 3, 1);
  const Numbers weight(12, 1.0);
  const svm::stream::Targets targets{clouds.y, weight, false};
  svm::Monitor monitor;
  const svm::Workers workers{2, monitor};
  refuse_each([&] {
    svm::stream::Plan plan{.alpha = 0.1};
    plan.eta0 =
        svm::stream::choose_rate(clouds.points, targets, clouds.index, plan, 1, workers).eta0;
    const auto descent = svm::stream::Descent::over(clouds.points, plan, 1, 2);
    const auto order = svm::stream::shuffled(clouds.points, clouds.index, 1);
    descent->pass(clouds.points, targets, order, workers);
    Numbers w(3), b(1);
    descent->weights(true, w.data());
    descent->intercepts(true, b.data());
    std::vector<svm::stream::Bound> found(1);
    svm::stream::bounds(clouds.points, targets, plan, w.data(), b, 1, found, workers);
    return w;
  });
}

TEST(a_search_survives_refused_memory) {
  const test::Clouds clouds(16, 3, 1);
  const Numbers first = {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0};
  svm::Grid grid{.rows = 16, .parts = {}, .splits = {}, .Cs = {0.1, 10}};
  grid.parts = {{clouds.index, clouds.y, clouds.lower, clouds.upper}};
  grid.splits = {{first, clouds.index}};
  const std::vector<svm::Kernel> kernels(2, clouds.gaussian());
  const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> rows) {
    return svm::make_gram(clouds.points, rows, kernel);
  };
  svm::Monitor monitor;
  refuse_each([&] { return svm::solve_grid(grid, kernels, gram, {2, monitor}).outputs; });
}

TEST(what_predicts_and_explains_survives_refused_memory) {
  const test::Clouds clouds(16, 3, 1);
  svm::Monitor monitor;
  const svm::Workers workers{2, monitor};
  refuse_each([&] {
    Numbers out(16);
    const svm::Expansion expansion(clouds.gaussian(), clouds.points, clouds.y, 1, workers);
    expansion.evaluate(clouds.points, out.data(), workers);
    return out;
  });
  refuse_each([&] {
    const std::vector<svm::ProductTerm> terms = {{{1}, {0, 0, 0}, {1, 1, 1, 0, 0, 0, 0, 0, 0}}};
    Numbers out(16 * 3);
    svm::product_shapley(terms, clouds.points, clouds.points, clouds.y, 1, nullptr, out.data(),
                         workers);
    return out;
  });
  const std::vector<int64_t> code = {0, 1, 0, 1, 0, 1, 0, 1};
  refuse_each([&] { return svm::fit_softmax(clouds.y, code, Numbers(8, 1.0), 2).slope; });
}

TEST(a_reader_of_text_survives_refused_memory) {
  refuse_each(
      [] { return svm::text::parse_libsvm("1 qid:3 1:2 3:4\n-1 qid:4 2:5\n", 2).rows.values; });
}
