// Gauss-Legendre quadrature on [0, 1]: n nodes are exact for polynomials of degree 2 n - 1.
#pragma once

#include <cstdint>
#include <vector>

namespace svm {

struct Quadrature {
  std::vector<double> nodes, weights;
  explicit Quadrature(int64_t n);
};

// Rules for polynomials of any degree up to a highest one, in steps: a rule of more nodes than are
// needed is exact, too. Their lengths are multiples of 4, which vectors are made of.
class Quadratures {
 public:
  explicit Quadratures(int64_t highest_degree);
  const Quadrature& of_degree(int64_t degree) const;

 private:
  std::vector<Quadrature> rules_;
};

}  // namespace svm
