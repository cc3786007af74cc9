// The scores of a linear model. Work is cut into blocks of rows of fixed size, so that any number
// of threads gives the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "svm/points.h"
#include "svm/workers.h"

namespace svm::stream {

// out[i * outputs + p] = weights_p'x_i + intercepts[p], weights being (outputs, features).
bool scores(const Points& points, std::span<const double> weights,
            std::span<const double> intercepts, double* out, const Workers& workers);

}  // namespace svm::stream
