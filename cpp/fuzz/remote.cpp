#include "linear/remote_rows.h"

#include <cmath>
#include <vector>

#include "fuzz/harness.h"
#include "fuzz/linear_problem.h"

namespace {

using svm::linear::Answer;

// Any request: whatever it is, it is answered or refused.
void serve(fuzz::Bytes& bytes, svm::linear::RowServer& server) {
  for (int64_t k = bytes.between(0, 7); k >= 0; --k) {
    std::vector<double> request{static_cast<double>(bytes.byte() % 3)};
    for (int64_t verb = bytes.between(0, 3); verb >= 0; --verb) {
      request.push_back(bytes.byte() % 26);
      for (int64_t more = bytes.between(0, 9); more > 0; --more) request.push_back(bytes.number());
    }
    try {
      server.answer(request);
    } catch (const std::invalid_argument&) {
    }
  }
  server.take();
}

// Answers with a number more, a number less or another number now and then.
Answer spoiled(fuzz::Bytes& bytes, Answer answer) {
  const uint8_t how = bytes.byte();
  std::vector<double>& numbers = (how & 16) != 0 ? answer.sums : answer.largest;
  if (how % 16 == 1) numbers.push_back(0);
  if (how % 16 == 2 && !numbers.empty()) numbers.pop_back();
  if (how % 16 == 3 && !numbers.empty()) numbers[bytes.byte() % numbers.size()] = bytes.wild();
  return answer;
}

}  // namespace

HARNESS(remote) {
  bytes.wild_numbers();
  const fuzz::LinearProblem made(bytes);
  const svm::linear::Problem& problem = made.problem();
  svm::Monitor quiet;
  svm::linear::RowServer server(problem, 1, quiet);
  if (bytes.flag()) return serve(bytes, server);
  svm::Settings settings = fuzz::linear_settings(bytes);
  const bool honest = bytes.flag();
  if (!honest && !settings.max_steps) settings.max_steps = 20;
  fuzz::Patience patience(bytes);
  const auto ask = [&](std::span<const double> request) {
    const Answer answer = server.answer(request);
    return honest ? answer : spoiled(bytes, answer);
  };
  const auto* tube = dynamic_cast<const svm::linear::Tube*>(&problem.loss);
  const svm::linear::Shape shape{.columns = problem.sample.columns(),
                                 .kinked = tube != nullptr && tube->kinked(),
                                 .intercept = problem.intercept,
                                 .scale = problem.scale};
  svm::linear::RemoteRows rows(shape, server.shape(), 1, ask, patience.monitor());
  const auto directions =
      bytes.flag() ? svm::linear::Directions::matrix : svm::linear::Directions::products;
  const auto found = svm::linear::newton(rows, directions, settings, patience.monitor());
  REQUIRE(std::ssize(found.w) == problem.sample.columns());
}
