#include "bindings/text.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/arrays.h"
#include "text/libsvm.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using bindings::owned;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
using Column = nb::ndarray<nb::numpy, T>;

template <class T>
Column<T> column(std::vector<T>& values) {
  const size_t size = values.size();
  return owned(std::move(values), {size});
}

// Labels, values, places, starts, queries, number of lines; and (line, column, what) of a mistake.
using Complaint = std::tuple<int64_t, int64_t, std::string>;
std::tuple<Column<double>, Column<double>, Column<int32_t>, Column<int64_t>, Column<int64_t>,
           int64_t, std::optional<Complaint>>
parse_libsvm(const nb::bytes& text, int threads) {
  const std::string_view bytes(text.c_str(), text.size());
  svm::text::Parsed parsed;
  {
    const nb::gil_scoped_release release;
    parsed = svm::text::parse_libsvm(bytes, threads);
  }
  const auto& complaint = parsed.complaint;
  std::optional<Complaint> told;
  if (complaint) told.emplace(complaint->line, complaint->column, complaint->what);
  svm::text::Rows& rows = parsed.rows;
  return {column(rows.labels),
          column(rows.values),
          column(rows.places),
          column(rows.starts),
          column(rows.queries),
          parsed.lines,
          told};
}

nb::bytes format_libsvm(const Vector<double>& labels, const Vector<double>& values,
                        const Vector<int32_t>& places, const Vector<int64_t>& starts,
                        const Vector<int64_t>& queries, int64_t base) {
  bool good = starts.size() == labels.size() + 1 && places.size() == values.size() &&
              (queries.size() == 0 || queries.size() == labels.size()) && starts.data()[0] >= 0 &&
              starts.data()[labels.size()] <= static_cast<int64_t>(values.size());
  for (size_t i = 0; i < labels.size() && good; ++i) {
    good = starts.data()[i] <= starts.data()[i + 1];
  }
  if (!good) throw nb::value_error("malformed compressed rows");
  std::string out;
  {
    const nb::gil_scoped_release release;
    out = svm::text::format_libsvm(view(labels), view(values), view(places), view(starts),
                                   view(queries), base);
  }
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_text(nb::module_& m) {
  m.def("parse_libsvm", &parse_libsvm, "text"_a, "threads"_a);
  m.def("format_libsvm", &format_libsvm, "labels"_a, "values"_a, "places"_a, "starts"_a,
        "queries"_a, "base"_a);
}
