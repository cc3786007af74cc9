#include "text/libsvm.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "run/parallel.h"
#include "text/number.h"

namespace svm::text {
namespace {

constexpr int64_t block_bytes = 1 << 18;
constexpr int64_t largest_index = std::numeric_limits<int32_t>::max() - 1;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Reads the lines of one block. The first complaint ends it.
class Reader {
 public:
  explicit Reader(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()), line_start_(at_) {}

  Parsed read() {
    while (at_ != end_ && !parsed_.complaint) {
      line_start_ = at_;
      read_line();
      if (parsed_.complaint) break;
      skip_comment();
      ++parsed_.lines;
      if (at_ != end_) ++at_;  // the end of the line
    }
    return std::move(parsed_);
  }

 private:
  bool at_end_of_line() const { return at_ == end_ || *at_ == '\n' || *at_ == '#'; }
  bool at_end_of_token() const { return at_end_of_line() || blank(*at_); }

  void skip_blanks() {
    while (at_ != end_ && blank(*at_)) ++at_;
  }

  void skip_comment() { at_ = std::find(at_, end_, '\n'); }

  void complain(const char* where, std::string what) {
    parsed_.complaint = Complaint{parsed_.lines + 1, where - line_start_ + 1, std::move(what)};
  }

  void read_line() {
    skip_blanks();
    if (at_end_of_line()) return;
    double label = 0;
    if (!read_label(label)) return;
    skip_blanks();
    int64_t query = 0;
    const bool queried = at_ != end_ && *at_ == 'q';
    if (queried && !read_query(query)) return;
    int64_t last = -1;
    for (skip_blanks(); !at_end_of_line(); skip_blanks()) {
      if (!read_feature(last)) return;
    }
    finish_row(label, queried, query);
  }

  void finish_row(double label, bool queried, int64_t query) {
    Rows& rows = parsed_.rows;
    if (!rows.labels.empty() && queried == rows.queries.empty()) {
      return complain(line_start_, "either all rows have a qid or none; the rows before differ");
    }
    if (queried) rows.queries.push_back(query);
    rows.labels.push_back(label);
    rows.starts.push_back(static_cast<int64_t>(rows.values.size()));
  }

  bool read_label(double& label) {
    const char* const start = at_;
    if (!read_number(label, "a label")) return false;
    if (at_end_of_token()) return true;
    if (*at_ == ',') {
      complain(start, "several labels in one row: multi-label data are not supported");
    } else if (*at_ == ':') {
      complain(start, "the row begins with a feature; put a label first, 0 where it is unknown");
    } else {
      complain(start, "a label is not a number: " + token(start));
    }
    return false;
  }

  bool read_query(int64_t& query) {
    const char* const start = at_;
    constexpr std::string_view name = "qid:";
    if (std::string_view(at_, end_ - at_).starts_with(name)) {
      at_ += name.size();
      const auto [next, error] = std::from_chars(at_, end_, query);
      at_ = next;
      if (error == std::errc() && at_end_of_token()) return true;
    }
    complain(start, "qid:number is not as it should be: " + token(start));
    return false;
  }

  bool read_feature(int64_t& last) {
    const char* const start = at_;
    int64_t index = 0;
    while (at_ != end_ && digit(*at_) && index <= largest_index) index = 10 * index + *at_++ - '0';
    if (at_ == start || at_ == end_ || *at_ != ':' || index > largest_index) {
      complain(start, index > largest_index
                          ? "an index is above 2^31 - 2: " + token(start)
                          : "index:value is not as it should be: " + token(start));
      return false;
    }
    if (index <= last) {
      complain(start, "index " + std::to_string(index) + " comes after " + std::to_string(last) +
                          "; the indices of a row must increase");
      return false;
    }
    last = index;
    const char* const begin = ++at_;
    double value = 0;
    if (!read_number(value, "a value")) return false;
    if (!at_end_of_token()) {
      complain(begin, "a value is not a number: " + token(begin));
      return false;
    }
    parsed_.rows.places.push_back(static_cast<int32_t>(index));
    parsed_.rows.values.push_back(value);
    return true;
  }

  bool read_number(double& value, const char* name) {
    const char* const start = at_;
    const char* const first = at_ + (at_ != end_ && *at_ == '+');
    // from_chars also reads "inf" and "nan": those and anything else that is no number are refused.
    const char* const body = first + (first != end_ && first == at_ && *first == '-');
    if (body == end_ || !(digit(*body) || *body == '.')) {
      const bool named =
          body != end_ && (*body == 'n' || *body == 'N' || *body == 'i' || *body == 'I');
      complain(start, std::string(name) + (named ? " is not a finite number: " : " is missing: ") +
                          token(start));
      return false;
    }
    const auto [next, error] = read_double(first, end_, value);
    if (error == std::errc::invalid_argument) {
      complain(start, std::string(name) + " is not a number: " + token(start));
      return false;
    }
    at_ = next;
    if (error == std::errc::result_out_of_range) {
      if (!tiny(std::string_view(body, next - body))) {
        complain(start, std::string(name) + " is too large: " + token(start));
        return false;
      }
      value = 0;
    }
    return true;
  }

  // Whether a number out of range is below it: it has a negative exponent, or no other than zeros
  // before its point.
  static bool tiny(std::string_view number) {
    const size_t exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos) return number[exponent + 1] == '-';
    const size_t point = std::min(number.find('.'), number.size());
    return number.substr(0, point).find_first_not_of('0') == std::string_view::npos;
  }

  // The text up to the next blank, cut to a length that fits a message.
  std::string token(const char* start) const {
    const char* stop = start;
    while (stop != end_ && !blank(*stop) && *stop != '\n' && stop - start < 24) ++stop;
    std::string shown = "'";
    for (const char* c = start; c != stop; ++c) shown += *c >= ' ' && *c < 127 ? *c : '?';
    return shown + "'";
  }

  const char* at_;
  const char* end_;
  const char* line_start_;
  Parsed parsed_;
};

// Blocks of a fixed size, each prolonged to the end of its last line.
std::vector<std::string_view> blocks(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t stop = text.find('\n', std::min<size_t>(block_bytes, text.size()) - 1);
    const size_t length = stop == std::string_view::npos ? text.size() : stop + 1;
    parts.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return parts;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

void append(Rows& all, const Rows& part) {
  const int64_t before = static_cast<int64_t>(all.values.size());
  for (size_t i = 1; i < part.starts.size(); ++i) all.starts.push_back(before + part.starts[i]);
  append(all.labels, part.labels);
  append(all.values, part.values);
  append(all.places, part.places);
  append(all.queries, part.queries);
}

template <class Number>
void write_number(std::string& out, Number value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

Parsed parse_libsvm(std::string_view text, int threads) {
  const std::vector<std::string_view> parts = blocks(text);
  std::vector<Parsed> done(parts.size());
  parallel_for(static_cast<int64_t>(parts.size()), threads,
               [&](int64_t k) { done[k] = Reader(parts[k]).read(); });
  Parsed all;
  size_t entries = 0;
  for (const Parsed& part : done) entries += part.rows.values.size();
  all.rows.values.reserve(entries);
  all.rows.places.reserve(entries);
  for (Parsed& part : done) {
    const bool mixed = !all.rows.labels.empty() && !part.rows.labels.empty() &&
                       all.rows.queries.empty() != part.rows.queries.empty();
    if (mixed && !part.complaint) {
      part.complaint = {1, 1, "either all rows have a qid or none; the rows before differ"};
    }
    if (part.complaint) {
      all.complaint = std::move(part.complaint);
      all.complaint->line += all.lines;
      return all;
    }
    append(all.rows, part.rows);
    all.lines += part.lines;
    part.rows = {};
  }
  return all;
}

std::string format_libsvm(std::span<const double> labels, std::span<const double> values,
                          std::span<const int32_t> places, std::span<const int64_t> starts,
                          std::span<const int64_t> queries, int64_t base) {
  std::string out;
  out.reserve(16 * values.size() + 8 * labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    write_number(out, labels[i]);
    if (!queries.empty()) {
      out += " qid:";
      write_number(out, queries[i]);
    }
    for (int64_t k = starts[i]; k < starts[i + 1]; ++k) {
      if (values[k] == 0) continue;
      out += ' ';
      write_number(out, places[k] + base);
      out += ':';
      write_number(out, values[k]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace svm::text
