#include "dual/working_set.h"

#include <algorithm>
#include <vector>

#include "tests/check.h"
#include "tests/problem.h"

namespace {

// The worst violators of each side, all ties but for their order.
void check_worst(const std::vector<double>& f, int64_t size) {
  const int64_t n = std::ssize(f);
  std::vector<double> lower(n), upper(n), beta(n, 0.0);
  for (int64_t i = 0; i < n; ++i) (i % 2 == 0 ? upper : lower)[i] = i % 2 == 0 ? 1 : -1;
  const svm::Box box{lower, upper};
  svm::WorkingSet set(n);
  set.select(size, box, beta.data(), f.data(), svm::extremes(box, beta.data(), f.data()));
  CHECK(std::ssize(set.members()) == size, size);
  for (const int side : {0, 1}) {
    const double sign = side == 0 ? 1 : -1;  // the even ones go up, where f is least
    std::vector<double> all, chosen;
    for (int64_t i = side; i < n; i += 2) all.push_back(sign * f[i]);
    for (const int64_t i : set.members()) {
      if (i % 2 == side) chosen.push_back(sign * f[i]);
    }
    std::ranges::sort(all), std::ranges::sort(chosen);
    CHECK(std::ranges::equal(chosen, std::span(all).first(chosen.size())), size, side);
    CHECK(std::ssize(chosen) == size / 2, size, side);
  }
}

}  // namespace

TEST(a_set_has_the_worst_violators_of_many) {
  constexpr int64_t n = 20'000;
  test::Random random(1);
  std::vector<double> f(n);
  for (double& x : f) x = random.normal();
  check_worst(f, 512);
  // What every ninth or so has tells nothing of the others.
  for (int64_t i = 0; i < n; ++i) f[i] += i % (n / 2048) == 0 ? -9 : 9;
  check_worst(f, 512);
  std::ranges::fill(f, 0.0);
  for (int64_t i = 0; i < n; ++i) f[i] = i % 2 == 0 ? -1 : 1;
  check_worst(f, 512);
}
