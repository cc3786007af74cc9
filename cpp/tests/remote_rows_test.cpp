#include "linear/remote_rows.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "linear/solve.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

using svm::Settings;
using svm::Status;
using svm::linear::Answer;
using svm::linear::Directions;
using svm::linear::Intercept;
using svm::linear::Loss;
using svm::linear::Problem;
using svm::linear::RemoteRows;
using svm::linear::RowServer;

enum class Kind { hinge, squared_hinge, logistic };

// Two clouds, and a problem on some of their rows.
struct Machine {
  const test::Clouds& clouds;
  svm::DenseProducts<double> rows;
  std::vector<int64_t> index;
  std::vector<double> y, lower, upper, ridge;
  std::unique_ptr<Loss> loss;
  std::unique_ptr<Problem> problem;

  Machine(const test::Clouds& from, int64_t begin, int64_t end, Kind kind, Intercept intercept)
      : clouds(from), rows(svm::DenseRows<double>{from.x.data(), from.n, from.d}) {
    for (int64_t i = begin; i < end; ++i) {
      index.push_back(i);
      y.push_back(clouds.y[i]);
      const bool bounded = kind == Kind::hinge;
      lower.push_back(bounded ? clouds.lower[i] : y.back() < 0 ? -svm::kInfinity : 0);
      upper.push_back(kind == Kind::logistic ? 1
                      : bounded              ? clouds.upper[i]
                      : y.back() > 0         ? svm::kInfinity
                                             : 0);
      if (kind == Kind::squared_hinge) ridge.push_back(0.5);
    }
    if (kind == Kind::logistic) {
      loss = std::make_unique<svm::linear::Logistic>(y, upper);
    } else {
      loss = std::make_unique<svm::linear::Tube>(y, lower, upper, ridge, 0);
    }
    problem = std::make_unique<Problem>(Problem{{rows, index}, *loss, intercept, 1});
  }
};

// The same problem in parts that end at these rows, asked as if they were far away.
struct Parts {
  svm::Monitor quiet;
  std::vector<std::unique_ptr<Machine>> machines;
  std::vector<std::unique_ptr<RowServer>> servers;
  int64_t requests = 0;

  Parts(const test::Clouds& clouds, std::vector<int64_t> ends, Kind kind, Intercept intercept) {
    int64_t begin = 0;
    for (const int64_t end : ends) {
      machines.push_back(std::make_unique<Machine>(clouds, begin, end, kind, intercept));
      servers.push_back(std::make_unique<RowServer>(*machines.back()->problem, 1, quiet));
      begin = end;
    }
  }

  Answer ask(std::span<const double> request) {
    ++requests;
    Answer sum = servers[0]->answer(request);
    for (size_t k = 1; k < servers.size(); ++k) sum += servers[k]->answer(request);
    return sum;
  }

  RemoteRows rows(svm::Monitor& monitor) {
    Answer shapes = servers[0]->shape();
    for (size_t k = 1; k < servers.size(); ++k) shapes += servers[k]->shape();
    svm::linear::LocalRows first(*machines[0]->problem, 1, monitor);
    return RemoteRows(
        first.shape(), shapes, static_cast<int64_t>(servers.size()),
        [this](std::span<const double> request) { return ask(request); }, monitor);
  }
};

}  // namespace

TEST(remote_rows_lead_to_the_same_optimum) {
  const Settings settings{.tol_gap = 1e-10, .threads = 1};
  for (const int64_t n : {60, 27000}) {  // the larger one begins with shares of its rows
    const test::Clouds clouds(n, 10, 0.5);
    for (const Kind kind : {Kind::hinge, Kind::squared_hinge, Kind::logistic}) {
      for (const Intercept intercept : {Intercept{}, Intercept{true, 1.0}, Intercept{false, 0}}) {
        const Machine whole(clouds, 0, n, kind, intercept);
        svm::Monitor monitor;
        for (const auto directions : {Directions::matrix, Directions::products}) {
          Parts parts(clouds, {n / 10, n / 10 + 3, n}, kind, intercept);
          const auto one = svm::linear::newton(*whole.problem, directions, settings, monitor);
          RemoteRows rows = parts.rows(monitor);
          const auto other = svm::linear::newton(rows, directions, settings, monitor);
          CHECK(other.certificate.gap <= std::max(1e-10, 2 * one.certificate.gap), n, int(kind));
          CHECK(std::abs(one.certificate.primal - other.certificate.primal) <=
                    1e-9 * one.certificate.primal,
                n, int(kind));
          CHECK(other.certificate.bound > 0 && other.beta.empty());
          std::vector<double> beta;
          for (const auto& server : parts.servers) {
            for (const double x : server->take()) beta.push_back(x);
          }
          CHECK(static_cast<int64_t>(beta.size()) == n);
          const auto judged =
              svm::linear::certify(*whole.problem, other.w, other.intercept, beta, {1, monitor});
          CHECK(std::abs(judged.gap - other.certificate.gap) <= 1e-12, judged.gap);
          CHECK(judged.support == other.certificate.support);
        }
      }
    }
  }
}

TEST(a_newton_step_takes_few_requests) {
  const test::Clouds clouds(40000, 10, 0.5);
  svm::Monitor monitor;
  Parts parts(clouds, {20000, 40000}, Kind::squared_hinge, {});
  RemoteRows rows = parts.rows(monitor);
  const auto found =
      svm::linear::newton(rows, Directions::matrix, {.tol_gap = 1e-6, .threads = 1}, monitor);
  CHECK(found.status == Status::optimal);
  CHECK(parts.requests <= 24, parts.requests);
}

TEST(a_stopped_remote_fit_is_certified) {
  const test::Clouds clouds(40000, 10, 0.5);
  svm::Monitor monitor([](const svm::TraceRow&) { return true; });
  Parts parts(clouds, {20000, 40000}, Kind::hinge, {});
  RemoteRows rows = parts.rows(monitor);
  while (!monitor.stop()) {
  }
  const auto found =
      svm::linear::newton(rows, Directions::matrix, {.tol_gap = 1e-6, .threads = 1}, monitor);
  CHECK(found.status == Status::stopped);
  CHECK(found.certificate.primal >= found.certificate.dual && found.certificate.gap <= 1);
}

TEST(a_server_refuses_what_is_no_request) {
  const test::Clouds clouds(50, 4, 0.5);
  Parts parts(clouds, {50}, Kind::hinge, {});
  const auto refused = [&](std::vector<double> request) {
    try {
      parts.servers[0]->answer(request);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(refused({}));
  CHECK(refused({1}));
  CHECK(refused({std::nan(""), 1}));
  CHECK(refused({0, 99}));
  CHECK(refused({0, 1, 0.5}));
  // Verbs in any order find numbers of all rows.
  for (double verb = 0; verb <= 22; ++verb) {
    std::vector<double> request{0, verb};
    request.resize(2 + 5, 1.0);
    try {
      parts.servers[0]->answer(request);
    } catch (const std::invalid_argument&) {
    }
  }
  Answer one{{1.0}, {}}, other{{1.0, 2.0}, {}};
  try {
    one += other;
    CHECK(false);
  } catch (const std::invalid_argument&) {
  }
}
