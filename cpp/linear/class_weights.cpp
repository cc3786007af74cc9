#include "linear/class_weights.h"

#include <algorithm>
#include <utility>

#include "rows/reader.h"
#include "simd/steps.h"

namespace svm::linear {
namespace {

template <class Rows>
class WeightsOf final : public ClassWeights {
  using Value = typename Reader<Rows>::Value;

 public:
  WeightsOf(const Rows& rows, int64_t classes)
      : ClassWeights(rows.columns, classes), rows_(rows), reader_(rows) {}

  void scores(int64_t row, std::span<const int32_t> list, double* out) override {
    const auto x = reader_(row);
    if (few(list)) {
      for (size_t q = 0; q < list.size(); q += 2) {
        score_two(x, list[q], list[std::min(q + 1, list.size() - 1)], out + q, list.size() - q);
      }
      return;
    }
    double all[simd::kMostModels];
    size_t q = 0;
    for (const Panel& panel : panels_) {
      if (q == list.size() || list[q] >= panel.end) continue;
      score(x, panel, all);
      for (; q < list.size() && list[q] < panel.end; ++q) out[q] = all[list[q] - panel.begin];
    }
  }
  void move(int64_t row, std::span<const int32_t> list, const double* by) override {
    const auto x = reader_(row);
    if (few(list)) {
      for (size_t q = 0; q < list.size(); ++q) move_one(x, list[q], by[q]);
      return;
    }
    size_t q = 0;
    for (Panel& panel : panels_) {
      if (q == list.size() || list[q] >= panel.end) continue;
      double all[simd::kMostModels] = {};
      for (; q < list.size() && list[q] < panel.end; ++q) all[list[q] - panel.begin] = by[q];
      loops_.move[simd::width_place(panel.width)](x.values, x.columns, x.count, all,
                                                  panel.weights.data(), nullptr, nullptr);
    }
  }
  void scores(std::span<const int64_t> rows, double* out) const override {
    Reader<Rows> reader(rows_);
    double all[simd::kMostModels];
    for (const Panel& panel : panels_) {
      for (size_t i = 0; i < rows.size(); ++i) {
        score(reader(rows[i]), panel, all);
        std::copy_n(all, panel.end - panel.begin, out + i * classes_ + panel.begin);
      }
    }
  }
  void expect(int64_t row) const override { reader_.expect(row); }

 private:
  // A class alone costs about as much as four side by side.
  bool few(std::span<const int32_t> list) const {
    return 4 * static_cast<int64_t>(list.size()) <= classes_;
  }
  template <class F>
  static void for_entries(const RowEntries<Value>& x, F f) {
    if (x.columns == nullptr) {
      for (int64_t e = 0; e < x.count; ++e) f(e, static_cast<double>(x.values[e]));
    } else {
      for (int64_t e = 0; e < x.count; ++e) f(x.columns[e], static_cast<double>(x.values[e]));
    }
  }
  void score_two(const RowEntries<Value>& x, int64_t c, int64_t e, double* out, size_t room) const {
    const Panel &one = panels_[panel_of_[c]], &other = panels_[panel_of_[e]];
    const double *w = one.weights.data() + (c - one.begin),
                 *v = other.weights.data() + (e - other.begin);
    double first = 0, second = 0;
    for_entries(x, [&](int64_t j, double value) {
      first += value * w[j * one.width];
      second += value * v[j * other.width];
    });
    out[0] = first;
    if (room > 1) out[1] = second;
  }
  void move_one(const RowEntries<Value>& x, int64_t c, double by) {
    Panel& panel = panels_[panel_of_[c]];
    double* w = panel.weights.data() + (c - panel.begin);
    for_entries(x, [&](int64_t j, double value) { w[j * panel.width] += by * value; });
  }
  void score(const RowEntries<Value>& x, const Panel& panel, double* out) const {
    loops_.scores[simd::width_place(panel.width)](x.values, x.columns, x.count,
                                                  panel.weights.data(), out);
  }

  Rows rows_;
  Reader<Rows> reader_;
  const simd::StepLoops<Value, double>& loops_ = simd::step_table().loops<Value, double>();
};

}  // namespace

ClassWeights::ClassWeights(int64_t columns, int64_t classes)
    : columns_(columns), classes_(classes) {
  for (int64_t begin = 0; begin < classes;) {
    const int64_t left = classes - begin;
    const int width = left > 12 ? simd::kMostModels : left > 4 ? 8 : 4;
    const int64_t end = std::min(classes, begin + width);
    panels_.push_back(
        {begin, end, width, std::vector<double>(std::max<int64_t>(columns, 1) * width)});
    panel_of_.resize(end, static_cast<int32_t>(panels_.size()) - 1);
    begin = end;
  }
}

void ClassWeights::set(const std::vector<double>& w) {
  for (Panel& panel : panels_) {
    for (int64_t c = panel.begin; c < panel.end; ++c) {
      double* to = panel.weights.data() + (c - panel.begin);
      for (int64_t j = 0; j < columns_; ++j) to[j * panel.width] = w[c * columns_ + j];
    }
  }
}

void ClassWeights::set(std::vector<std::vector<double>> panels) {
  for (size_t p = 0; p < panels.size(); ++p) panels_[p].weights = std::move(panels[p]);
}

void ClassWeights::get(std::vector<double>& w) const {
  w.resize(classes_ * columns_);
  if (columns_ == 0) return;
  for (const Panel& panel : panels_) {
    for (int64_t c = panel.begin; c < panel.end; ++c) {
      const double* from = panel.weights.data() + (c - panel.begin);
      for (int64_t j = 0; j < columns_; ++j) w[c * columns_ + j] = from[j * panel.width];
    }
  }
}

std::unique_ptr<ClassWeights> ClassWeights::make(const Points& points, int64_t classes) {
  const auto of = [&](const auto& rows) -> std::unique_ptr<ClassWeights> {
    return std::make_unique<WeightsOf<std::decay_t<decltype(rows)>>>(rows, classes);
  };
  return single_precision(points) ? with_rows<float>(points, of) : with_rows<double>(points, of);
}

}  // namespace svm::linear
