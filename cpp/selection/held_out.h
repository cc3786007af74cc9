// The outputs of a split's models at its test rows, of all parts and Cs at once:
//
//   out(row, part, C) = sum_j K(row, j) beta_j(part, C) + b(part, C)
//
// Learnt rows that are in the same parts are a group. Its columns of the matrix times its variables
// of all these parts and Cs is one product, in float64.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "selection/split_matrix.h"

namespace svm {

class HeldOut {
 public:
  // `parts` are the places of each part's variables.
  HeldOut(Places test, const std::vector<const Places*>& parts, int64_t Cs);

  int64_t tests() const { return test_.size(); }
  int64_t columns() const { return parts_ * Cs_; }

  // What the paths of one kernel have found.
  struct Found {
    std::vector<double> weights, intercepts;
  };
  Found nothing() const { return {std::vector<double>(weights_), std::vector<double>(columns())}; }
  void store(int64_t part, int64_t c, std::span<const double> beta, double intercept,
             Found& found) const;

  // The outputs of each part and C at the test rows, some rows at a time: take(first, count, out),
  // a row of `columns()` numbers for each.
  using Take = std::function<void(int64_t first, int64_t count, const double* out)>;
  void evaluate(const SplitMatrix& K, const Found& found, const Take& take) const;

 private:
  struct Group {
    Places places;
    std::vector<int64_t> parts;
    int64_t start = 0, width = 0;  // of its weights: a row of (part, C) for each place
  };
  // Where a variable of a part is.
  struct Member {
    int64_t group, row, slot;
  };
  // The rows of a group that are support vectors of any model, and their weights in panels.
  struct Factor {
    const Group* group;
    Places places;
    std::vector<double> weights;
  };
  Factor pack(const Group& group, const Found& found) const;

  Places test_;
  int64_t parts_, Cs_, weights_ = 0;
  std::vector<Group> groups_;
  std::vector<std::vector<Member>> members_;  // of each part
};

}  // namespace svm
