// Sums over the rows of a problem that have a curvature, weighted by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/passes.h"
#include "run/workers.h"

namespace svm::linear {

// The upper triangle of sum over rows of curvature_k (x_k, 1)(x_k, 1)', kept between steps: with
// constant curvatures only rows that entered or left the active set since are added or taken away.
class CurvatureGram {
 public:
  CurvatureGram(const Sample& sample, bool ones);

  // `constant`: where curvatures are not zero, they are as before. False when stopped.
  bool update(const std::vector<double>& curvature, bool constant, const Workers& workers);
  // With as many columns as gram_order() says.
  const std::vector<double>& sum() const { return sum_; }

 private:
  struct List {
    std::vector<int64_t> rows;
    std::vector<double> weights;
    void push(int64_t row, double weight) {
      rows.push_back(row);
      weights.push_back(weight);
    }
    void clear() {
      rows.clear();
      weights.clear();
    }
    int64_t size() const { return static_cast<int64_t>(rows.size()); }
  };

  bool add(const List& list, double sign, const Workers& workers);
  bool add(std::span<const int64_t> which, const double* weights, double sign,
           const Workers& workers);

  const Sample& sample_;
  bool ones_;
  int64_t order_;
  std::vector<double> sum_, kept_;
  List in_, out_;  // kept for their memory
  int64_t touched_ = 0;
};

// The same without the matrix: its diagonal, and its products with vectors.
class CurvatureProducts {
 public:
  explicit CurvatureProducts(const Sample& sample) : sample_(sample) {}

  // Takes over the rows with a curvature; `out` is the diagonal, that of the ones last.
  bool squares(const std::vector<double>& curvature, std::vector<double>& out,
               const Workers& workers);
  // factor * sum over rows of curvature_k (x_k, 1) (x_k, 1)'v; v may lack the last entry.
  bool product(double factor, const std::vector<double>& v, std::vector<double>& out,
               const Workers& workers);

 private:
  const Sample& sample_;
  int threads_ = 1;
  std::vector<int64_t> rows_;
  std::vector<double> weights_, scores_;
};

}  // namespace svm::linear
