// A kernel as a sum of products over features; one of its terms:
//
//   P(u) exp(-sum_j e_j),   u = sum of x_j z_j over the dotted columns,
//   e_j = rates[0, j] (x_j - z_j)^2 + rates[1, j] |x_j - z_j| + rates[2, j] chi2(x_j, z_j)
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace svm {

struct ProductTerm {
  std::vector<double> polynomial;  // coefficients of P, the constant first
  std::vector<uint8_t> dotted;     // by column
  std::vector<double> rates;       // three rows, by column

  int64_t columns() const { return static_cast<int64_t>(dotted.size()); }
  int64_t degree() const { return static_cast<int64_t>(polynomial.size()) - 1; }

  double exponent(int64_t j, double x, double z) const {
    const int64_t d = columns();
    const double difference = x - z, sum = x + z;
    double e = rates[j] * difference * difference + rates[d + j] * std::abs(difference);
    if (rates[2 * d + j] != 0 && sum > 0) {
      e += rates[2 * d + j] * difference * (difference / sum);
    }
    return e;
  }
  double product(int64_t j, double x, double z) const { return dotted[j] ? x * z : 0; }

  double value(double u) const {
    double sum = 0;
    for (int64_t q = degree(); q >= 0; --q) sum = sum * u + polynomial[q];
    return sum;
  }
};

}  // namespace svm
