// The number that a text begins with, as std::from_chars reads it: in no locale, "0x" is a zero.
#pragma once

#include <charconv>

#ifdef __APPLE__
#include <xlocale.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#endif

namespace svm::text {

inline std::from_chars_result read_double(const char* first, const char* last, double& value) {
#ifdef __APPLE__
  // Before macOS 26 its from_chars reads integers alone.
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string_view all(first, last - first);
  const std::string text(all.substr(0, all.find_first_not_of("0123456789.eE+-")));
  char* end = nullptr;
  errno = 0;
  const double found = strtod_l(text.c_str(), &end, plain);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const next = first + (end - text.c_str());
  if (std::isinf(found) || (found == 0 && errno == ERANGE)) {
    return {next, std::errc::result_out_of_range};
  }
  value = found;
  return {next, std::errc()};
#else
  return std::from_chars(first, last, value);
#endif
}

}  // namespace svm::text
