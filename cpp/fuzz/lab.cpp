#include "lab/lab.h"

#include <array>
#include <vector>

#include "fuzz/harness.h"

namespace {

struct Arguments {
  int32_t n, d, variables;
  std::vector<double> x, kernel, target, lower, upper, ridge, total, start;
  std::vector<uint8_t> group;
  double epsilon, tol, max_steps;

  explicit Arguments(fuzz::Bytes& bytes, int32_t columns = -1)
      : n(bytes.between(0, 8)), d(columns >= 0 ? columns : bytes.between(0, 4)), variables(n) {
    x = bytes.numbers(n * d), kernel = {static_cast<double>(bytes.between(0, 10))};
    for (int k = 0; k < 3; ++k) kernel.push_back(bytes.number());
    if (bytes.byte() % 8 == 0) variables = 2 * n;
    target = bytes.numbers(variables), lower.resize(variables), upper.resize(variables);
    for (int32_t i = 0; i < variables; ++i) {
      const double C = bytes.size();
      const uint8_t side = bytes.byte() % 3;
      lower[i] = side == 0 ? 0 : -C, upper[i] = side == 1 ? 0 : C;
    }
    if (bytes.flag()) ridge = bytes.sizes(variables);
    if (bytes.flag()) {
      for (int32_t i = 0; i < variables; ++i) group.push_back(bytes.flag());
    }
    total = bytes.flag() ? bytes.numbers(2) : std::vector<double>(2);
    if (bytes.flag()) start = bytes.numbers(variables);
    epsilon = bytes.flag() ? bytes.size() : 0;
    tol = bytes.one_of({1e-3, 1e-10, 0.0});
    max_steps = bytes.flag() ? bytes.number() : -1;
  }
  const uint8_t* groups() const { return group.empty() ? nullptr : group.data(); }
  const double* ridges() const { return ridge.empty() ? nullptr : ridge.data(); }
  const double* begin() const { return start.empty() ? nullptr : start.data(); }
};

void solve(fuzz::Bytes& bytes) {
  const Arguments a(bytes);
  std::vector<double> beta(a.variables), gradient(a.variables), numbers(LAB_NUMBERS),
      trace(4 * LAB_TRACE_COLUMNS), out(a.n * a.n), scores(a.n);
  if (lab_solve(a.x.data(), a.n, a.d, a.kernel.data(), a.variables, a.target.data(), a.lower.data(),
                a.upper.data(), a.epsilon, a.groups(), a.total.data(), a.ridges(), a.tol,
                a.max_steps, a.begin(), beta.data(), gradient.data(), numbers.data(), trace.data(),
                4) != 0) {
    return;
  }
  lab_certify(a.x.data(), a.n, a.d, a.kernel.data(), a.variables, a.target.data(), a.lower.data(),
              a.upper.data(), a.epsilon, a.groups(), a.total.data(), a.ridges(), beta.data(),
              numbers.data());
  lab_decision(a.x.data(), beta.data(), a.n, a.d, a.kernel.data(), bytes.number(), a.x.data(), a.n,
               scores.data());
  lab_gram(a.x.data(), a.n, a.d, a.kernel.data(), out.data());
}

void grid(fuzz::Bytes& bytes) {
  const Arguments a(bytes, 2);
  const auto coef = bytes.numbers(a.n), ends = bytes.numbers(5);
  const int32_t columns = bytes.between(0, 5), rows = bytes.between(0, 5);
  std::vector<float> out(rows * columns);
  lab_grid(a.x.data(), coef.data(), a.n, a.kernel.data(), ends[0], ends[1], ends[2], columns,
           ends[3], ends[4], rows, out.data());
}

void pairs(fuzz::Bytes& bytes) {
  const Arguments a(bytes);
  const int32_t most = bytes.between(0, 40);
  const bool second_order = bytes.flag(), told = bytes.flag();
  std::vector<double> steps((most + 1) * LAB_PAIR_COLUMNS), states((most + 1) * 3 * a.variables);
  int32_t count = 0;
  double left = 0;
  lab_pair_steps(a.x.data(), a.n, a.d, a.kernel.data(), a.variables, a.target.data(),
                 a.lower.data(), a.upper.data(), a.epsilon, a.groups(), a.total.data(), a.ridges(),
                 second_order, a.tol, most, a.begin(), steps.data(), told ? states.data() : nullptr,
                 &count, &left);
  REQUIRE(count >= 0 && count <= most);
}

void linear(fuzz::Bytes& bytes) {
  const Arguments a(bytes);
  std::vector<double> w(a.d), beta(2 * a.n), numbers(LAB_NUMBERS);
  const double penalty = bytes.flag() ? bytes.size() : 0;
  const bool intercept = bytes.flag(), newton = bytes.flag();
  lab_linear(a.x.data(), a.n, a.d, a.target.data(), a.lower.data(), a.upper.data(), a.ridges(),
             a.epsilon, intercept, penalty, newton, a.tol, a.max_steps, w.data(), beta.data(),
             numbers.data());
}

void stochastic(fuzz::Bytes& bytes) {
  const Arguments a(bytes);
  std::vector<double> plan = bytes.numbers(LAB_PLAN_NUMBERS);
  plan[LAB_PLAN_LOSS] = static_cast<double>(bytes.between(0, 10)) - 1;
  const auto weight = bytes.sizes(a.n), begin = bytes.numbers(a.d + 1);
  const int32_t most = bytes.between(0, 20), every = bytes.between(0, 5);
  std::vector<double> rows((most + 2) * (a.d + 4));
  int32_t count = 0;
  const auto seed = static_cast<int8_t>(bytes.byte());
  const bool begun = bytes.flag();
  lab_stochastic(a.x.data(), a.n, a.d, a.target.data(), weight.data(), plan.data(), seed, most,
                 every, begun ? begin.data() : nullptr, rows.data(), &count);
  REQUIRE(count >= 0 && count <= most + 2);
}

void classes(fuzz::Bytes& bytes) {
  const Arguments a(bytes);
  const int32_t count = bytes.between(1, 4);
  std::vector<int32_t> label(a.n);
  for (int32_t& one : label) one = bytes.between(0, 4);  // perhaps one too many
  const auto C = bytes.sizes(a.n);
  std::vector<double> w(count * a.d), b(count), numbers(LAB_NUMBERS);
  lab_crammer_singer(a.x.data(), a.n, a.d, label.data(), count, C.data(), a.tol, w.data(), b.data(),
                     numbers.data());
}

}  // namespace

// The page's engine: a call that cannot be carried out says so.
HARNESS(lab) {
  bytes.wild_numbers();
  bytes.one_of<void (*)(fuzz::Bytes&)>({solve, grid, pairs, linear, stochastic, classes})(bytes);
}
