// How many pair steps a fit may take, and what those so far have cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "run/monitor.h"

namespace svm {

struct Budget {
  int64_t steps = 0;                                    // pair steps taken so far
  int64_t limit = std::numeric_limits<int64_t>::max();  // and how many there may be
  Monitor& monitor;
  bool concave = false;  // a pair of negative curvature was met
  int64_t touched = 0;   // variables in the working sets of all steps

  bool used_up() const { return steps >= limit; }
  bool over() const { return used_up() || monitor.stop(); }
};

// At most so many more steps, for the time of its life.
class Stage {
 public:
  Stage(Budget& budget, int64_t most)
      : budget_(budget),
        limit_(std::exchange(budget.limit, std::min(budget.limit, budget.steps + most))) {}
  ~Stage() { budget_.limit = limit_; }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  Budget& budget_;
  int64_t limit_;
};

}  // namespace svm
