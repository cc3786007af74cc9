#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/check.h"
#include "text/libsvm.h"

using svm::text::format_libsvm;
using svm::text::parse_libsvm;
using svm::text::Parsed;

namespace {

void refused(const std::string& text, int64_t line, int64_t column) {
  // Behind a block of good lines as well, where places must be counted on.
  for (const int64_t before : {0, 100'000}) {
    std::string whole;
    for (int64_t i = 0; i < before; ++i) whole += "1 1:1\n";
    const Parsed parsed = parse_libsvm(whole + text, 2);
    CHECK(parsed.complaint.has_value(), text);
    CHECK(parsed.complaint->line == line + before, text, parsed.complaint->line);
    CHECK(parsed.complaint->column == column, text, parsed.complaint->column);
    CHECK(!parsed.complaint->what.empty());
  }
}

}  // namespace

TEST(rows_with_comments_blank_lines_and_carriage_returns) {
  const Parsed parsed = parse_libsvm(
      "+1 1:0.5 7:-2e3\r\n\n  \t\r\n# only a comment\n-1.5\t2:+.25 # 3:4\r\n0\n3 10:1e-400", 1);
  CHECK(!parsed.complaint.has_value(), parsed.complaint->what);
  CHECK(parsed.rows.labels == std::vector<double>({1, -1.5, 0, 3}));
  CHECK(parsed.rows.values == std::vector<double>({0.5, -2000, 0.25, 0}));
  CHECK(parsed.rows.places == std::vector<int32_t>({1, 7, 2, 10}));
  CHECK(parsed.rows.starts == std::vector<int64_t>({0, 2, 3, 3, 4}));
  CHECK(parsed.lines == 7, parsed.lines);
}

TEST(queries) {
  const Parsed parsed = parse_libsvm("1 qid:3 1:1\n2 qid:-4\n", 1);
  CHECK(!parsed.complaint.has_value());
  CHECK(parsed.rows.queries == std::vector<int64_t>({3, -4}));
  CHECK(parse_libsvm("1 qid:3 1:1\n2 1:1\n", 1).complaint->line == 2);
  CHECK(parse_libsvm("1 1:1\n2 qid:1 1:1\n", 1).complaint->line == 2);
}

TEST(complaints_tell_line_and_column) {
  refused("x 1:1\n", 1, 1);
  refused("1,2 1:1\n", 1, 1);
  refused("1:2 3:4\n", 1, 1);
  refused("nan 1:2\n", 1, 1);
  refused("1 1:1\n\n2 1:1 b\n", 3, 7);
  refused("1 1\n", 1, 3);
  refused("1 :1\n", 1, 3);
  refused("1 1:\n", 1, 5);
  refused("1 1: 2\n", 1, 5);
  refused("1 1:inf\n", 1, 5);
  refused("1 1:nan\n", 1, 5);
  refused("1 1:--2\n", 1, 5);
  refused("1 1:+-2\n", 1, 5);
  refused("1 1:1e999\n", 1, 5);
  refused("1 1:0x10\n", 1, 5);
  refused("1 1:2x\n", 1, 5);
  refused("1 2:1 2:1\n", 1, 7);
  refused("1 2:1 1:1\n", 1, 7);
  refused("1 -1:1\n", 1, 3);
  refused("1 2147483647:1\n", 1, 3);
  refused("1 99999999999999999999999:1\n", 1, 3);
  refused("1 qid:x 1:1\n", 1, 3);
  refused("1 qid:99999999999999999999 1:1\n", 1, 3);
  refused("1e999 1:1\n", 1, 1);
  refused(std::string("1 1:1\0\n", 7), 1, 5);
}

TEST(what_is_written_is_read_back_to_the_last_bit) {
  std::mt19937_64 random(1);
  std::vector<double> labels, values;
  std::vector<int32_t> places;
  std::vector<int64_t> starts{0}, queries;
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20'000; ++i) {
    labels.push_back(i % 7 ? std::round(normal(random)) : normal(random));
    queries.push_back(i / 5);
    for (int32_t j = 0; j < 30; j += 1 + static_cast<int32_t>(random() % 9)) {
      places.push_back(j);
      values.push_back(std::ldexp(normal(random), static_cast<int>(random() % 200) - 100));
    }
    starts.push_back(static_cast<int64_t>(values.size()));
  }
  const std::string text = format_libsvm(labels, values, places, starts, queries, 0);
  for (const int threads : {1, 3}) {
    const Parsed parsed = parse_libsvm(text, threads);
    CHECK(!parsed.complaint.has_value(), parsed.complaint->what);
    CHECK(parsed.rows.labels == labels);
    CHECK(parsed.rows.values == values);
    CHECK(parsed.rows.places == places);
    CHECK(parsed.rows.starts == starts);
    CHECK(parsed.rows.queries == queries);
    CHECK(parsed.lines == 20'000);
  }
}

TEST(any_bytes_are_read_or_refused) {
  const std::string seed =
      "+1 qid:3 1:0.5 7:-2e3 # note\r\n-1,2 3:4\n1e-400 2147483646:1e308 nan:inf\n\t\n";
  const std::string bytes = "0123456789:+-eE.,#qidnaf \t\r\n";
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = seed.substr(random() % seed.size(), random() % seed.size());
    for (int k = static_cast<int>(random() % 6); k > 0 && !text.empty(); --k) {
      const size_t at = random() % text.size();
      const char byte = random() % 4 ? bytes[random() % bytes.size()] : static_cast<char>(random());
      if (random() % 2) {
        text[at] = byte;
      } else {
        text.insert(at, 1, byte);
      }
    }
    const Parsed parsed = parse_libsvm(text, 1);
    const auto& rows = parsed.rows;
    CHECK(rows.places.size() == rows.values.size());
    if (parsed.complaint) continue;
    CHECK(rows.starts.size() == rows.labels.size() + 1);
    CHECK(rows.starts.back() == static_cast<int64_t>(rows.values.size()));
    for (const double value : rows.values) CHECK(std::isfinite(value), text);
    for (const double label : rows.labels) CHECK(std::isfinite(label), text);
  }
}
