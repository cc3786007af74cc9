// What a linear model and its certificate need of all rows: scores, and rows summed with factors.
// Work is cut by the shape of the data alone, so that any number of threads gives the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "svm/points.h"
#include "svm/workers.h"

namespace svm::stream {

// out[i * outputs + p] = weights_p'x_i + intercepts[p], weights being (outputs, features).
bool scores(const Points& points, std::span<const double> weights,
            std::span<const double> intercepts, double* out, const Workers& workers);

// out[p * features + k] = sum_i factors[i * outputs + p] x_ik
bool pull(const Points& points, std::span<const double> factors, int64_t outputs, double* out,
          const Workers& workers);

}  // namespace svm::stream
