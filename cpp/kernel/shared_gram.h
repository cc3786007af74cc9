// The kernel matrix of problems with the same rows, such as those that hold out different ones of
// them: the first that needs the whole of it computes it for all.
#pragma once

#include <memory>
#include <mutex>

#include "kernel/gram.h"
#include "run/large_pages.h"

namespace svm {

class SharedMatrix {
 public:
  // Values in float64, and rounded to float32; incomplete for all where the monitor stops them.
  const double* exact(const Gram& gram, const Workers& workers);
  const float* single(const Gram& gram, const Workers& workers);

 private:
  std::once_flag exact_known_, single_known_;
  std::unique_ptr<double[], Free> exact_;
  std::unique_ptr<float[], Free> single_;
};

std::unique_ptr<Gram> shared_gram(std::unique_ptr<Gram> own, std::shared_ptr<SharedMatrix> matrix);

}  // namespace svm
