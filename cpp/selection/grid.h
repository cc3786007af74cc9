// Many problems on the same rows: every kernel, every split of the rows into those to learn from
// and those to judge by, and every C of a search. A kernel's matrix is computed once for all splits
// and Cs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernel/gram.h"
#include "kernel/kernel.h"
#include "run/workers.h"

namespace svm {

// An output of the models: a pair of classes, or a regression.
struct GridPart {
  std::span<const int64_t> rows;
  std::span<const double> target, lower, upper;  // the box for a penalty of 1
};

struct GridSplit {
  std::span<const double> penalty;  // of each row of the data; 0 where it is not to be learnt from
  std::span<const int64_t> test;    // rows to evaluate
  double epsilon = 0;               // half the width of the tube of a regression
};

struct Grid {
  int64_t rows;  // of the data
  std::vector<GridPart> parts;
  std::vector<GridSplit> splits;
  std::vector<double> Cs;  // ascending
  int64_t classes = 0;     // where the parts are pairs of classes that vote, in order
  double tol = 1e-3;
  int64_t matrices = 1;  // of kernels, in memory at a time
  bool sums = false;     // whether there is memory for the sums that kernels have in common

  int64_t outputs() const { return classes > 0 ? classes : std::ssize(parts); }
};

// What is known of the models of one kernel, split and C.
struct Cell {
  double violation, seconds;
  int64_t support;
};

struct GridValues {
  // Of each kernel, C and split, one after the other: the outputs at its test rows; where parts
  // vote, the scores of the classes, and who wins.
  std::vector<double> outputs;
  std::vector<int32_t> winners;
  std::vector<Cell> cells;  // of each kernel, split and C
};

// The matrix of a kernel for some rows of the data.
using KernelGram =
    std::function<std::unique_ptr<Gram>(const Kernel& kernel, std::span<const int64_t> rows)>;

// Cells that were not reached when the monitor stopped it have violations that are no numbers.
GridValues solve_grid(const Grid& grid, std::span<const Kernel> kernels, const KernelGram& gram_of,
                      const Workers& workers);

}  // namespace svm
