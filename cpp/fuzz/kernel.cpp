#include <cmath>
#include <vector>

#include "fuzz/data.h"
#include "fuzz/harness.h"
#include "kernel/expansion.h"
#include "kernel/gram.h"
#include "kernel/rough_expansion.h"

// A kernel's matrix and its expansions say the same.
HARNESS(kernel) {
  const bool wild = bytes.wild_numbers();
  const int64_t n = bytes.between(1, 12), d = bytes.between(0, 6), m = bytes.between(0, 6);
  const svm::Kernel kernel = fuzz::make_kernel(bytes);
  kernel.check(d);
  const fuzz::Data centres(bytes, n, d), points(bytes, m, d);
  const int64_t outputs = bytes.between(1, 3);
  const std::vector<double> weights = bytes.numbers(n * outputs);
  fuzz::Patience patience(bytes);
  const svm::Workers workers{1, patience.monitor()};
  const svm::Expansion expansion(kernel, centres.points(), weights, outputs, workers);
  std::vector<double> out(n * outputs), other(m * outputs), errors(m), block(n * n);
  const bool all = expansion.evaluate(centres.points(), out.data(), workers);
  expansion.evaluate(points.points(), other.data(), workers);
  if (svm::RoughExpansion::offers(kernel)) {
    const svm::RoughExpansion rough(kernel, centres.points(), weights, outputs, workers);
    rough.evaluate(points.points(), other.data(), errors.data(), workers);
  }
  const std::vector<int64_t> rows = svm::all_rows(n);
  const auto gram = svm::make_gram(centres.points(), rows, kernel);
  gram->block(rows, block.data(), workers);
  if (wild || !all || patience.monitor().stopped()) return;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t p = 0; p < outputs; ++p) {
      double sum = 0, size = 1;
      for (int64_t j = 0; j < n; ++j) {
        const double term = (block[i * n + j] + gram->offset()) * weights[j * outputs + p];
        sum += term, size += std::abs(term) + std::abs(gram->offset() * weights[j * outputs + p]);
      }
      REQUIRE(!(std::abs(sum - out[i * outputs + p]) > 1e-6 * size));
    }
  }
}
