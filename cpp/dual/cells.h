// Rows in sets of those that are alike to the kernel, for kernels that decay with distance.
//
// Where the kernel is local, a row has most to do with the rows of its own set: what one set is
// solved to is then hardly changed by the others.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

struct Cells {
  std::vector<std::vector<int64_t>> sets;  // of about the same size, every row in one
  // How many times as much a row has in common with a row of its cell as with any other.
  double likeness = 0;
};

// Sets of at most `size` rows: rows go to that of some rows, spread all over the data, which the
// kernel says is nearest. `offset` is the constant that the source's entries are less than the
// kernel. Nothing when the monitor stopped it.
template <class T>
Cells find_cells(const KernelSource<T>& source, double offset, int64_t size,
                 const Workers& workers);

}  // namespace svm
