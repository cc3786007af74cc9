// Shapley values of kernel expansions whose kernel is a sum of products over features.
//
// The game of one term, one row x and one centre c: the features in S are as in x, the others are
// removed (their factor is 1 and their part of u is 0) or as in a row z of the background,
//
//   v(S) = prod_{j in S} A_j prod_{j not in S} B_j.
//
// With every feature in S by the toss of a coin of probability t, the expected gain of feature j,
// averaged over t, is its Shapley value:
//
//   phi_j = (A_j - B_j) int_0^1 prod_{l != j} (B_l + t (A_l - B_l)) dt.
//
// The integrand is a polynomial in t whose coefficients are sums of elementary symmetric
// polynomials. Those are not computed: sums of them cancel, and taking one factor out of them by a
// division fails near zero. Gauss-Legendre nodes integrate it exactly, and all products that leave
// one factor out come from products of those before it and those behind it; without a subtraction or
// a division, every number has a small relative error. O(d^2) a centre.
//
// A polynomial P(u) comes with it as a truncated power series: P(u) = sum_q P_q q! [eps^q]
// prod_j exp(eps u_j), so that factors are series in eps, of degree at most that of P.
#pragma once

#include <cstdint>
#include <span>

#include "explain/product_term.h"
#include "rows/points.h"
#include "run/workers.h"

namespace svm {

// out[(i * columns + j) * outputs + p] = value of feature j of points[i] in output p, whose weights
// are weights[k * outputs + p]; averaged over the rows of the background where there is one. The
// same bits for any number of threads. False when the monitor stopped it.
bool product_shapley(std::span<const ProductTerm> terms, const Points& points,
                     const Points& centres, std::span<const double> weights, int64_t outputs,
                     const Points* background, double* out, const Workers& workers);

}  // namespace svm
