#include <vector>

#include "fuzz/harness.h"
#include "rows/views.h"

// Compressed rows of which nothing is known: what passes the check can be read.
HARNESS(rows) {
  bytes.wild_numbers();
  const int64_t rows = bytes.between(0, 6), columns = bytes.between(0, 6),
                entries = bytes.between(0, 8);
  const std::vector<double> values = bytes.numbers(entries);
  std::vector<int32_t> places(entries), starts(rows + 1);
  for (int32_t& place : places) place = static_cast<int8_t>(bytes.byte());
  for (int32_t& start : starts) start = static_cast<int8_t>(bytes.byte());
  const svm::CsrRows<double, int32_t> view{values.data(), places.data(), starts.data(), rows,
                                           columns};
  view.check(entries);
  int64_t seen = 0;
  for (int64_t i = 0; i < rows; ++i) {
    view.visit(i, [&](int64_t k, double) {
      REQUIRE(k >= 0 && k < columns);
      ++seen;
    });
  }
  REQUIRE(seen == entries);
}
