// Weights of several classes side by side, feature by feature, so that an entry of a row is read
// once for many of them: in panels of 16, 8 or 4 classes (simd/steps.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rows/points.h"

namespace svm::linear {

struct Panel {
  int64_t begin, end;  // classes
  int width;           // places, the last ones of which may be empty
  std::vector<double> weights;
};

class ClassWeights {
 public:
  virtual ~ClassWeights() = default;

  // All zero.
  static std::unique_ptr<ClassWeights> make(const Points& points, int64_t classes);

  const std::vector<Panel>& panels() const { return panels_; }

  // out[q] = x_row'w_c for c = list[q], and w_c += by[q] x_row. For one thread at a time.
  virtual void scores(int64_t row, std::span<const int32_t> list, double* out) = 0;
  virtual void move(int64_t row, std::span<const int32_t> list, const double* by) = 0;
  // out[i * classes + c] = x_rows[i]'w_c of all classes, from any thread.
  virtual void scores(std::span<const int64_t> rows, double* out) const = 0;
  // Asks for a row that will be needed soon.
  virtual void expect(int64_t row) const = 0;

  // From and to one row per class; from the weights of each panel.
  void set(const std::vector<double>& w);
  void set(std::vector<std::vector<double>> panels);
  void get(std::vector<double>& w) const;

 protected:
  ClassWeights(int64_t columns, int64_t classes);

  int64_t columns_, classes_;
  std::vector<Panel> panels_;
  std::vector<int32_t> panel_of_;  // of each class
};

}  // namespace svm::linear
