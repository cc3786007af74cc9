// Passes over all variables of a dual problem of one group without a ridge (dual/dual.h): what a
// round of descent reads again and again. Compiled once per instruction set as those of table.h.
#pragma once

#include <cstdint>

namespace svm::simd {

// A box, a point in it and its gradient, one number of each per variable.
struct Variables {
  const double *lower, *upper, *beta, *f;
  double epsilon;
  int64_t size;
};

// The cheapest way up, the most expensive way down; the sum of levels of free variables and their
// number.
struct VariableLevels {
  double up, down, sum;
  int64_t free;
};

struct VariableTable {
  VariableLevels (*levels)(const Variables& variables);
  // The sums that a certificate is made of: see svm::VariableSums.
  //   sums[0 .. 4] = quadratic, linear, difference, size, beta; returns how many are not zero
  int64_t (*sums)(const Variables& variables, const double* target, double intercept, double* sums);
  // How many are free now that were not, or no longer are: bit i % 8 of free[i / 8] tells which
  // were, and then which are.
  int64_t (*changes)(const Variables& variables, uint8_t* free);
  // Where a way up costs less than `most`, and where a way down gives back more than `least`, in
  // such bits.
  void (*violators)(const Variables& variables, double most, double least, uint8_t* rises,
                    uint8_t* falls);
};

// The widest table this machine runs, chosen once.
const VariableTable& variable_table();

// All tables this machine runs, narrowest first; the tests compare each with the first.
int available(const VariableTable* out[3]);

}  // namespace svm::simd
