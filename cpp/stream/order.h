// The order in which a pass goes through the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/points.h"

namespace svm::stream {

// A random order of some rows. Of data larger than a cache, runs of neighbours are shuffled, and
// then the rows within windows of runs: nearly as good as any order, and several times as fast to
// read.
std::vector<int64_t> shuffled(const Points& points, std::span<const int64_t> rows, uint64_t seed);

}  // namespace svm::stream
