#include "bindings/stream.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "stream/bound.h"
#include "stream/descent.h"
#include "stream/order.h"

namespace bindings {
namespace {

using namespace nb::literals;
using svm::single_precision;
using svm::stream::Descent;
using svm::stream::LossKind;
using svm::stream::Plan;
using svm::stream::Targets;

Targets check_targets(const Data& data, const Doubles& y, const Doubles& weight,
                      const Indices& order, int64_t outputs) {
  const size_t rows = static_cast<size_t>(data.rows());
  if (y.size() != rows || weight.size() != rows) {
    throw nb::value_error("y and weight need a value for each row");
  }
  data.check(view<int64_t>(order));
  return {view<double>(y), view<double>(weight), outputs > 1};
}

void check_plan(const Plan& plan, int64_t outputs) {
  if (outputs < 1 || plan.batch < 1) {
    throw nb::value_error("outputs and batch must be at least 1");
  }
  if (!plan.own.empty() && std::ssize(plan.own) != outputs) {
    throw nb::value_error("own needs one value for each output");
  }
}

void check_features(const Descent& descent, const Data& data) {
  if (data.points().columns() != descent.features()) {
    throw nb::value_error("the data have another number of features than the weights");
  }
  if (single_precision(data.points()) != descent.single()) {
    throw nb::value_error("the data have another precision than the weights");
  }
}

// The exception that ended the pass early, if any.
Error pass(Descent& descent, const Data& data, const Doubles& y, const Doubles& weight,
           const Indices& order, int threads, Hook hook) {
  check_features(descent, data);
  const Targets targets = check_targets(data, y, weight, order, descent.outputs());
  return watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    descent.pass(data.points(), targets, view<int64_t>(order), workers);
  });
}

nb::ndarray<nb::numpy, double> losses(const Descent& descent, const Data& data, const Doubles& y,
                                      const Doubles& weight, const Indices& rows, int threads) {
  check_features(descent, data);
  const Targets targets = check_targets(data, y, weight, rows, descent.outputs());
  std::vector<double> out(descent.outputs());
  watched(threads, [&](const svm::Workers& workers) {
    descent.losses(data.points(), targets, view<int64_t>(rows), out.data(), workers);
  });
  const size_t outputs = out.size();
  return owned(std::move(out), {outputs});
}

void set(Descent& descent, bool mean, const Doubles2& weights, const Doubles& intercepts) {
  if (static_cast<int64_t>(weights.shape(0)) != descent.outputs() ||
      static_cast<int64_t>(weights.shape(1)) != descent.features() ||
      static_cast<int64_t>(intercepts.size()) != descent.outputs()) {
    throw nb::value_error("weights or intercepts have the wrong shape");
  }
  descent.set(mean, weights.data(), intercepts.data());
}

nb::ndarray<nb::numpy, double> weights(const Descent& descent, bool mean) {
  auto out = svm::large_pages<double>(static_cast<size_t>(descent.outputs() * descent.features()));
  descent.weights(mean, out.get());
  return owned(std::move(out),
               {static_cast<size_t>(descent.outputs()), static_cast<size_t>(descent.features())});
}

nb::ndarray<nb::numpy, double> intercepts(const Descent& descent, bool mean) {
  std::vector<double> out(descent.outputs());
  descent.intercepts(mean, out.data());
  return owned(std::move(out), {static_cast<size_t>(descent.outputs())});
}

nb::ndarray<nb::numpy, int64_t> shuffled(const Data& data, const Indices& rows, uint64_t seed) {
  data.check(view<int64_t>(rows));
  std::vector<int64_t> order = svm::stream::shuffled(data.points(), view<int64_t>(rows), seed);
  const size_t count = order.size();
  return owned(std::move(order), {count});
}

std::tuple<double, double> choose_rate(const Data& data, const Doubles& y, const Doubles& weight,
                                       const Indices& sample, const Plan& plan, int64_t outputs,
                                       int threads) {
  check_plan(plan, outputs);
  const Targets targets = check_targets(data, y, weight, sample, outputs);
  svm::stream::Rate rate{};
  watched(threads, [&](const svm::Workers& workers) {
    rate = svm::stream::choose_rate(data.points(), targets, view<int64_t>(sample), plan, outputs,
                                    workers);
  });
  return {rate.eta0, rate.intercept};
}

// The targets of models that are to be judged, once all of it fits together.
Targets check_models(const Data& data, const Doubles& y, const Doubles& weight, const Plan& plan,
                     const Doubles2& weights, const Doubles& intercepts) {
  const size_t rows = static_cast<size_t>(data.rows()), outputs = intercepts.size();
  if (y.size() != rows || weight.size() != rows || weights.shape(0) != outputs ||
      static_cast<int64_t>(weights.shape(1)) != data.points().columns()) {
    throw nb::value_error("weights, intercepts, targets and data do not fit together");
  }
  check_plan(plan, static_cast<int64_t>(outputs));
  return {view<double>(y), view<double>(weight), outputs > 1};
}

nb::ndarray<nb::numpy, double> numbers_of(const std::vector<svm::stream::Bound>& bounds) {
  std::vector<double> out;
  for (const auto& bound : bounds) {
    out.insert(out.end(), {bound.primal, bound.dual, bound.deviation});
  }
  return owned(std::move(out), {bounds.size(), 3});
}

// Primal, dual and the deviation of a row's loss, for each output.
nb::ndarray<nb::numpy, double> bounds(const Data& data, const Doubles& y, const Doubles& weight,
                                      const Plan& plan, const Doubles2& weights,
                                      const Doubles& intercepts, double unit, int threads) {
  const Targets targets = check_models(data, y, weight, plan, weights, intercepts);
  std::vector<svm::stream::Bound> found(intercepts.size());
  watched(threads, [&](const svm::Workers& workers) {
    svm::stream::bounds(data.points(), targets, plan, weights.data(), view<double>(intercepts),
                        unit, found, workers);
  });
  return numbers_of(found);
}

constexpr size_t kRiskNumbers = 7;  // of RiskSums, beside the pulls

// What these are made of, a row for each output: the sums over parts of the rows add up.
nb::ndarray<nb::numpy, double> risk_sums(const Data& data, const Doubles& y, const Doubles& weight,
                                         const Plan& plan, const Doubles2& weights,
                                         const Doubles& intercepts, double unit, int threads) {
  const Targets targets = check_models(data, y, weight, plan, weights, intercepts);
  const size_t outputs = intercepts.size(), width = kRiskNumbers + 2 * weights.shape(1);
  std::vector<double> out(outputs * width);
  const svm::stream::TakeSums take = [&](int64_t p, svm::stream::RiskSums&& sums) {
    const double numbers[kRiskNumbers] = {sums.rows,         sums.loss,         sums.square,
                                          sums.conjugate[0], sums.conjugate[1], sums.terms[0],
                                          sums.terms[1]};
    double* to = std::copy_n(numbers, kRiskNumbers, out.data() + p * width);
    std::copy(sums.pulls.begin(), sums.pulls.end(), to);
  };
  watched(threads, [&](const svm::Workers& workers) {
    svm::stream::risk_sums(data.points(), targets, plan, weights.data(), view<double>(intercepts),
                           unit, take, workers);
  });
  return owned(std::move(out), {outputs, width});
}

nb::ndarray<nb::numpy, double> risk_bounds(const Doubles2& sums, const Doubles2& weights,
                                           const Doubles& intercepts, double alpha, double l1,
                                           bool intercept, bool penalise_intercept) {
  const size_t outputs = intercepts.size(), features = weights.shape(1);
  const size_t width = kRiskNumbers + 2 * features;
  if (sums.shape(0) != outputs || weights.shape(0) != outputs || sums.shape(1) != width) {
    throw nb::value_error("weights, intercepts and sums do not fit together");
  }
  const svm::stream::Penalties penalties{alpha, l1, intercept, penalise_intercept};
  std::vector<svm::stream::Bound> found;
  for (size_t p = 0; p < outputs; ++p) {
    const double* at = sums.data() + p * width;
    const svm::stream::RiskSums own{
        at[0], at[1], at[2], {at[3], at[4]}, {at[5], at[6]}, {at + kRiskNumbers, at + width}};
    found.push_back(svm::stream::bound(own, penalties, {weights.data() + p * features, features},
                                       intercepts.data()[p]));
  }
  return numbers_of(found);
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::enum_<LossKind>(m, "StreamLoss")
      .value("hinge", LossKind::hinge)
      .value("squared_hinge", LossKind::squared_hinge)
      .value("logistic", LossKind::logistic)
      .value("modified_huber", LossKind::modified_huber)
      .value("perceptron", LossKind::perceptron)
      .value("epsilon_insensitive", LossKind::epsilon_insensitive)
      .value("squared_epsilon_insensitive", LossKind::squared_epsilon_insensitive)
      .value("huber", LossKind::huber)
      .value("squared_error", LossKind::squared_error);

  nb::class_<Plan>(m, "Plan").def(
      "__init__",
      [](Plan* self, LossKind loss, double width, double alpha, double l1, double eta0,
         double convexity, double decay, double power, double origin, double radius, bool average,
         double start, double forget, bool intercept, bool penalise_intercept,
         double intercept_rate, int64_t batch, const Doubles& own) {
        new (self) Plan{loss,
                        width,
                        alpha,
                        l1,
                        eta0,
                        convexity,
                        decay,
                        power,
                        origin,
                        radius,
                        average,
                        start,
                        forget,
                        intercept,
                        penalise_intercept,
                        intercept_rate,
                        batch,
                        {own.data(), own.data() + own.size()}};
      },
      "loss"_a, "width"_a, "alpha"_a, "l1"_a, "eta0"_a, "convexity"_a, "decay"_a, "power"_a,
      "origin"_a, "radius"_a, "average"_a, "start"_a, "forget"_a, "intercept"_a,
      "penalise_intercept"_a, "intercept_rate"_a, "batch"_a, "own"_a);

  nb::class_<Descent>(m, "Descent")
      .def_static(
          "over",
          [](const Data& data, const Plan& plan, int64_t outputs, int threads) {
            check_plan(plan, outputs);
            return Descent::over(data.points(), plan, outputs, threads);
          },
          "data"_a, "plan"_a, "outputs"_a, "threads"_a)
      .def_rw("steps", &Descent::steps)
      .def_prop_rw("eta0", &Descent::eta0, &Descent::set_eta0)
      .def_prop_ro(
          "updates",
          [](const Descent& d) {
            return owned(std::vector<int64_t>(d.updates), {d.updates.size()});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "penalties",
          [](const Descent& d) { return owned(d.penalties(), {static_cast<size_t>(d.outputs())}); },
          nb::rv_policy::move)
      .def("run", &pass, "data"_a, "y"_a, "weight"_a, "order"_a, "threads"_a, "hook"_a)
      .def("losses", &losses, "data"_a, "y"_a, "weight"_a, "rows"_a, "threads"_a)
      .def("set", &set, "mean"_a, "weights"_a, "intercepts"_a)
      .def("weights", &weights, "mean"_a)
      .def("intercepts", &intercepts, "mean"_a);

  m.def("shuffled", &shuffled, "data"_a, "rows"_a, "seed"_a);
  m.def("choose_rate", &choose_rate, "data"_a, "y"_a, "weight"_a, "sample"_a, "plan"_a, "outputs"_a,
        "threads"_a);
  m.def("bounds", &bounds, "data"_a, "y"_a, "weight"_a, "plan"_a, "weights"_a, "intercepts"_a,
        "unit"_a, "threads"_a);
  m.def("risk_sums", &risk_sums, "data"_a, "y"_a, "weight"_a, "plan"_a, "weights"_a, "intercepts"_a,
        "unit"_a, "threads"_a);
  m.def("risk_bounds", &risk_bounds, "sums"_a, "weights"_a, "intercepts"_a, "alpha"_a, "l1"_a,
        "intercept"_a, "penalise_intercept"_a);
}

}  // namespace bindings
