#include "dual/active_set.h"

#include <algorithm>
#include <vector>

#include "tests/check.h"

TEST(newton_steps_wait_for_the_free_variables_and_for_their_price) {
  constexpr int64_t n = 1000, kMuch = int64_t(1) << 40;
  const std::vector<double> lower(n, 0.0), upper(n, 1.0);
  const svm::Box box{lower, upper};
  std::vector<double> b(n, 0.0);
  svm::ActiveSet active_set(box, 10);
  const auto identified = [&](int64_t touched) {
    const auto free = std::ranges::count_if(b, [](double x) { return x > 0 && x < 1; });
    return active_set.identified(b.data(), free, touched);
  };
  CHECK(!identified(kMuch));  // nothing is free
  for (int64_t i = 0; i < 100; ++i) b[i] = 0.5;
  CHECK(!identified(kMuch));  // they have just become so
  CHECK(!identified(100));    // pair steps were cheap
  CHECK(identified(kMuch));
  CHECK(!identified(kMuch + 100));  // that has been paid
  CHECK(identified(2 * kMuch));
  b[3] = 1;
  CHECK(identified(3 * kMuch));  // one of many
  for (int64_t i = 10; i < 20; ++i) b[i] = 0;
  CHECK(!identified(4 * kMuch));
}
