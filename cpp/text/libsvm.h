// LIBSVM's text of sparse rows, read and written:
//
//   label [qid:number] index:value index:value ... [# comment]
//
// Indices of a row increase. Blank lines and carriage returns are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svm::text {

// Compressed rows with the indices as the text has them.
struct Rows {
  std::vector<double> labels, values;
  std::vector<int32_t> places;
  std::vector<int64_t> starts{0};
  std::vector<int64_t> queries;  // of each row, or none where no row has one
};

// What is wrong, and where, counted from 1.
struct Complaint {
  int64_t line, column;
  std::string what;
};

struct Parsed {
  Rows rows;
  int64_t lines = 0;
  std::optional<Complaint> complaint;
};

// Parses whole lines; the last may lack its end. The result does not depend on `threads`.
Parsed parse_libsvm(std::string_view text, int threads);

// Writes rows with `base` added to the places. Numbers are the shortest that read back the same;
// zeros are left out.
std::string format_libsvm(std::span<const double> labels, std::span<const double> values,
                          std::span<const int32_t> places, std::span<const int64_t> starts,
                          std::span<const int64_t> queries, int64_t base);

}  // namespace svm::text
