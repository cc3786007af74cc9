#include "text/libsvm.h"

#include <cmath>
#include <string>

#include "fuzz/harness.h"

// What is read is the same for any number of threads, and the same when it is written and read
// again: but for zeros, which are not written.
HARNESS(text) {
  const std::string_view text = bytes.text();
  const svm::text::Parsed parsed = svm::text::parse_libsvm(text, 1);
  const svm::text::Rows& rows = parsed.rows;
  if (parsed.complaint) return;
  const size_t n = rows.labels.size();
  REQUIRE(rows.starts.size() == n + 1 && rows.places.size() == rows.values.size());
  REQUIRE(rows.queries.empty() || rows.queries.size() == n);
  REQUIRE(rows.starts.front() == 0 && rows.starts.back() == std::ssize(rows.values));
  for (size_t i = 0; i < n; ++i) {
    REQUIRE(rows.starts[i] <= rows.starts[i + 1]);
    for (int64_t k = rows.starts[i] + 1; k < rows.starts[i + 1]; ++k) {
      REQUIRE(rows.places[k - 1] < rows.places[k]);
    }
  }
  const std::string written =
      svm::text::format_libsvm(rows.labels, rows.values, rows.places, rows.starts, rows.queries, 0);
  const svm::text::Parsed again = svm::text::parse_libsvm(written, 1);
  REQUIRE(!again.complaint);
  REQUIRE(again.rows.labels == rows.labels && again.rows.queries == rows.queries);
  const std::string rewritten =
      svm::text::format_libsvm(again.rows.labels, again.rows.values, again.rows.places,
                               again.rows.starts, again.rows.queries, 0);
  REQUIRE(rewritten == written);
}
