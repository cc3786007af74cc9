// The matrix of a large problem: rows of kernel values, kept while memory lasts.
#pragma once

#include <cstdint>
#include <memory>

#include "dual/dual.h"
#include "dual/quadratic.h"
#include "kernel/gram.h"
#include "run/slabs.h"
#include "run/workers.h"

namespace svm {

template <class T>
class CachedKernel : public Quadratic<T> {
 public:
  // Memory of the rows that are kept, and giving it up.
  virtual int64_t bytes() const = 0;
  virtual void release() = 0;
  virtual int64_t rows_computed() const = 0;
  // Different ones that were asked for: unlike the others, whatever room there is.
  virtual int64_t rows_asked() const = 0;
  // Rounding of the additions to f so far, for entries of at most `largest`.
  virtual double rounding(double largest) const = 0;
};

// Rows computed when a variable moves, then kept while the budget lasts. Where values are `cheap`,
// blocks are computed rather than gathered from all over the cache; and where, besides, there is
// room for less than half of the rows, one is kept from the second time on, because many variables
// move only once and memory costs more than values, and as long as those that are kept have proved
// useful. A problem may have several variables per row: variable v belongs to row v modulo the
// number of rows.
template <class T>
std::unique_ptr<CachedKernel<T>> cached_kernel(const KernelSource<T>& source,
                                               const DualProblem& problem, bool cheap,
                                               int64_t cache_bytes, Slabs& memory,
                                               const Workers& workers);

}  // namespace svm
