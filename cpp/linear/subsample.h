// A problem on a share of its rows, each standing for many. Its answer is near that of the whole
// one, by the law of large numbers, for a fraction of the passes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/solve.h"

namespace svm::linear {

class Subsample {
 public:
  // One row of every `times`.
  Subsample(const Problem& whole, int64_t times)
      : Subsample(whole, places(whole.sample.size(), times), static_cast<double>(times)) {}

  const Problem& problem() const { return problem_; }

 private:
  Subsample(const Problem& whole, const std::vector<int64_t>& which, double times)
      : index_(taken(whole.sample.index, which)),
        loss_(whole.loss.part(which, times)),
        problem_{{whole.sample.rows, index_}, *loss_, whole.intercept, whole.scale} {}

  // At changing places, because rows may come in a rhythm.
  static std::vector<int64_t> places(int64_t n, int64_t times) {
    std::vector<int64_t> which(n / times);
    uint64_t state = 0;
    for (size_t k = 0; k < which.size(); ++k) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      which[k] = static_cast<int64_t>(k) * times + static_cast<int64_t>(state >> 33) % times;
    }
    return which;
  }

  static std::vector<int64_t> taken(std::span<const int64_t> index,
                                    const std::vector<int64_t>& which) {
    std::vector<int64_t> rows;
    rows.reserve(which.size());
    for (const int64_t k : which) rows.push_back(index[k]);
    return rows;
  }

  std::vector<int64_t> index_;
  std::unique_ptr<Loss> loss_;
  Problem problem_;
};

}  // namespace svm::linear
