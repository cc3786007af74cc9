#include "bindings/calibration.h"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/watch.h"
#include "calibration/coupling.h"
#include "calibration/sigmoid.h"
#include "calibration/softmax.h"
#include "calibration/venn_abers.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bindings {
namespace {

using Array = nb::ndarray<nb::numpy, double>;
using Two = std::tuple<Array, Array>;

constexpr int64_t kRowsEach = 64;  // that a thread takes at a time

Two two(std::vector<double> first, std::vector<double> second) {
  const size_t n = first.size(), m = second.size();
  return {owned(std::move(first), {n}), owned(std::move(second), {m})};
}

// The sigmoid of each pair; the rows of pair p begin at starts[p].
Two fit_sigmoids(const Doubles& scores, const Doubles& signs, const Doubles& weights,
                 const Indices& starts, int threads) {
  const auto at = view<int64_t>(starts);
  if (at.empty() || at.front() != 0 || at.back() != static_cast<int64_t>(scores.size()) ||
      !std::is_sorted(at.begin(), at.end()) || signs.size() != scores.size() ||
      weights.size() != scores.size()) {
    throw nb::value_error("starts must ascend from 0 to the number of scores, signs and weights");
  }
  const int64_t pairs = static_cast<int64_t>(at.size()) - 1;
  std::vector<double> slopes(pairs), offsets(pairs);
  watched(threads, [&](const svm::Workers& workers) {
    workers.run(pairs, [&](int64_t p) {
      const size_t begin = starts.data()[p], count = starts.data()[p + 1] - begin;
      const svm::Sigmoid found = svm::fit_sigmoid(view<double>(scores).subspan(begin, count),
                                                  view<double>(signs).subspan(begin, count),
                                                  view<double>(weights).subspan(begin, count));
      slopes[p] = found.slope;
      offsets[p] = found.offset;
    });
  });
  return two(std::move(slopes), std::move(offsets));
}

// What rows make of their outputs: work(begin, end) on some rows at a time.
void by_rows(int64_t rows, int threads, const std::function<void(int64_t, int64_t)>& work) {
  watched(threads, [&](const svm::Workers& workers) {
    workers.run((rows + kRowsEach - 1) / kRowsEach, [&](int64_t block) {
      work(block * kRowsEach, std::min(rows, (block + 1) * kRowsEach));
    });
  });
}

// Probabilities of classes from the sigmoids of their pairs.
Array couple(const Doubles2& outputs, const Doubles& slopes, const Doubles& offsets,
             int64_t classes, int threads) {
  const int64_t rows = outputs.shape(0), pairs = outputs.shape(1);
  const auto count = static_cast<size_t>(pairs);
  if (classes < 2 || classes > pairs + 1 || pairs != classes * (classes - 1) / 2 ||
      slopes.size() != count || offsets.size() != count) {
    throw nb::value_error("outputs, slopes and offsets need one value for each pair of classes");
  }
  std::vector<double> out(rows * classes);
  by_rows(rows, threads, [&](int64_t begin, int64_t end) {
    svm::Coupling coupling(classes);
    std::vector<double> r(pairs);
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t p = 0; p < pairs; ++p) {
        r[p] = svm::Sigmoid{slopes.data()[p], offsets.data()[p]}(outputs.data()[i * pairs + p]);
      }
      coupling(r, &out[i * classes]);
    }
  });
  return owned(std::move(out), {static_cast<size_t>(rows), static_cast<size_t>(classes)});
}

Two fit_softmax(const Doubles2& outputs, const Indices& codes, const Doubles& weights) {
  const auto rows = static_cast<size_t>(outputs.shape(0));
  const auto classes = static_cast<int64_t>(outputs.shape(1));
  if (classes == 0 || codes.size() != rows || weights.size() != rows) {
    throw nb::value_error("outputs, codes and weights need one value for each row");
  }
  for (const int64_t code : view<int64_t>(codes)) {
    if (code < 0 || code >= classes) throw nb::index_error("code outside the classes");
  }
  svm::Softmax found;
  watched(1, [&](const svm::Workers&) {
    found = svm::fit_softmax(view<double>(outputs), view<int64_t>(codes), view<double>(weights),
                             classes);
  });
  return two(std::move(found.slope), std::move(found.offset));
}

Array softmax(const Doubles2& outputs, const Doubles& slopes, const Doubles& offsets, int threads) {
  const size_t rows = outputs.shape(0), classes = outputs.shape(1);
  if (slopes.size() != classes || offsets.size() != classes) {
    throw nb::value_error("slopes and offsets need one value for each class");
  }
  const svm::Softmax calibration{{slopes.data(), slopes.data() + classes},
                                 {offsets.data(), offsets.data() + classes}};
  std::vector<double> out(rows * classes);
  by_rows(static_cast<int64_t>(rows), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      calibration(&outputs.data()[i * classes], &out[i * classes]);
    }
  });
  return owned(std::move(out), {rows, classes});
}

Two venn_abers(const Doubles& all, const Doubles& positive) {
  if (all.size() == 0 || positive.size() != all.size()) {
    throw nb::value_error("all and positive need a sum before the first score and one for each");
  }
  svm::VennAbers found;
  watched(1, [&](const svm::Workers&) {
    found = svm::venn_abers(view<double>(all), view<double>(positive));
  });
  return two(std::move(found.low), std::move(found.high));
}

}  // namespace

void bind_calibration(nb::module_& m) {
  m.def("fit_sigmoids", &fit_sigmoids, "scores"_a, "signs"_a, "weights"_a, "starts"_a, "threads"_a);
  m.def("couple", &couple, "outputs"_a, "slopes"_a, "offsets"_a, "classes"_a, "threads"_a);
  m.def("fit_softmax", &fit_softmax, "outputs"_a, "codes"_a, "weights"_a);
  m.def("softmax", &softmax, "outputs"_a, "slopes"_a, "offsets"_a, "threads"_a);
  m.def("venn_abers", &venn_abers, "all"_a, "positive"_a);
}

}  // namespace bindings
