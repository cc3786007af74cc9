#include "linear/remote_rows.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "rows/products.h"

namespace svm::linear {
namespace {

enum Verb {
  kDivide,
  kScore,
  kSmooth,
  kCentreInTheMiddle,
  kCentreAtThePoint,
  kSlopes,
  kGram,
  kSquares,
  kProduct,
  kAim,
  kAlong,
  kAdvance,
  kForesee,
  kKeep,
  kConsider,
  kClear,
  kTotal,
  kRooms,
  kShift,
  kCombine,
  kCompare,
  kCosts,
  kReach,
};

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}
void append(std::vector<double>& to, const Terms& terms) {
  to.insert(to.end(), {terms.loss, terms.dual, terms.difference, terms.rounding});
}
Terms terms_at(const double* from) { return {from[0], from[1], from[2], from[3]}; }

// Upper triangles without the lower ones, which nobody reads.
std::vector<double> packed(const std::vector<double>& matrix, int64_t order) {
  std::vector<double> out;
  out.reserve(order * (order + 1) / 2);
  for (int64_t i = 0; i < order; ++i) {
    out.insert(out.end(), matrix.begin() + i * order + i, matrix.begin() + (i + 1) * order);
  }
  return out;
}
void unpack(const std::vector<double>& from, int64_t order, std::vector<double>& matrix) {
  matrix.resize(order * order);
  auto at = from.begin();
  for (int64_t i = 0; i < order; ++i) {
    std::copy_n(at, order - i, matrix.begin() + i * order + i);
    at += order - i;
  }
}

Answer shape_answer(const Shape& shape) {
  return {{static_cast<double>(shape.rows), static_cast<double>(shape.entries), shape.box},
          {static_cast<double>(shape.additions), shape.divisible ? 0.0 : 1.0}};
}

// A count that another process has sent.
int64_t count_of(double number) {
  if (!(number >= 0 && number <= 0x1p53)) {
    throw std::invalid_argument("an answer has a count that is none: " + std::to_string(number));
  }
  return static_cast<int64_t>(number);
}

Answer dual_answer(const DualSums& dual) {
  Answer out{dual.w, {}};
  out.sums.insert(out.sums.end(), {dual.sum, static_cast<double>(dual.support)});
  return out;
}
DualSums dual_of(std::vector<double> sums) {
  DualSums dual;
  dual.support = count_of(sums.back());
  sums.pop_back();
  dual.sum = sums.back();
  sums.pop_back();
  dual.w = std::move(sums);
  return dual;
}

// Reads a request.
class Reader {
 public:
  explicit Reader(std::span<const double> numbers) : numbers_(numbers) {}

  bool done() const { return at_ == numbers_.size(); }
  double number() {
    if (done()) throw std::invalid_argument("a request ends too early");
    return numbers_[at_++];
  }
  int64_t integer(int64_t most) {
    const double x = number();
    if (!(x >= 0 && x <= static_cast<double>(most))) {
      throw std::invalid_argument("a request has a number that it must not have: " +
                                  std::to_string(x));
    }
    return static_cast<int64_t>(x);
  }
  std::vector<double> vector(int64_t size) {
    if (numbers_.size() - at_ < static_cast<size_t>(size)) {
      throw std::invalid_argument("a request ends too early");
    }
    std::vector<double> out(numbers_.begin() + at_, numbers_.begin() + at_ + size);
    at_ += size;
    return out;
  }
  Point point() { return static_cast<Point>(integer(2)); }

 private:
  std::span<const double> numbers_;
  size_t at_ = 0;
};

Answer sums_of(std::initializer_list<double> values) { return {values, {}}; }

Answer slopes(RowPasses& rows) {
  Terms terms;
  DualSums dual;
  rows.slopes(terms, dual);
  Answer out;
  append(out.sums, terms);
  append(out.sums, dual_answer(dual).sums);
  return out;
}

Answer foresee(RowPasses& rows) {
  Foresight found;
  rows.foresee(found);
  Answer out;
  append(out.sums, found.terms);
  out.sums.push_back(found.sum);
  append(out.sums, found.clipped);
  return out;
}

Answer costs(RowPasses& rows, const std::vector<double>& w) {
  Costs found;
  rows.costs(w, found);
  return {{found.free_sum, static_cast<double>(found.free)}, {-found.up, found.down}};
}

// Carries out one verb.
Answer carry_out(RowPasses& rows, Verb verb, Reader& request) {
  const Shape& shape = rows.shape();
  const int64_t d = shape.columns, m = d + (shape.intercept.present ? 1 : 0);
  Answer out;
  switch (verb) {
    case kScore: {
      const std::vector<double> w = request.vector(d);
      rows.score(w, request.number());
      return out;
    }
    case kSmooth:
      return rows.smooth(request.number()), out;
    case kCentreInTheMiddle:
      return rows.centre_in_the_middle(), out;
    case kCentreAtThePoint:
      return rows.centre_at_the_point(), out;
    case kSlopes:
      return slopes(rows);
    case kGram:
      return {packed(*rows.gram(), gram_order(d, shape.intercept.present)), {}};
    case kSquares:
      return rows.squares(out.sums), out;
    case kProduct:
      return rows.product(request.vector(m), out.sums), out;
    case kAim:
      return rows.aim(request.vector(m)), out;
    case kAlong: {
      const Slope slope = rows.along(request.number());
      return sums_of({slope.first, slope.second});
    }
    case kAdvance:
      return rows.advance(request.number()), out;
    case kForesee:
      return foresee(rows);
    case kKeep:
      return rows.keep(request.point()), out;
    case kConsider:
      return rows.consider(request.point()), out;
    case kClear:
      return rows.clear(), out;
    case kTotal:
      return sums_of({rows.total()});
    case kRooms: {
      const Rooms room = rows.rooms(request.number());
      return sums_of({room.size, room.all, room.inside});
    }
    case kShift: {
      const std::vector<double> by = request.vector(3);
      return rows.shift(by[0], by[1], by[2] != 0), out;
    }
    case kCombine: {
      DualSums dual;
      rows.combine(dual);
      return dual_answer(dual);
    }
    case kCompare:
      return append(out.sums, rows.compare()), out;
    case kCosts:
      return costs(rows, request.vector(d));
    case kReach: {
      const Reach reach = rows.reach();
      return {{reach.sum}, {reach.largest}};
    }
    default:
      throw std::invalid_argument("a request has an unknown verb: " + std::to_string(verb));
  }
}

}  // namespace

Answer& Answer::operator+=(const Answer& o) {
  const auto none = [](const Answer& a) { return a.sums.empty() && a.largest.empty(); };
  if (none(o)) return *this;
  if (none(*this)) return *this = o;
  if (sums.size() != o.sums.size() || largest.size() != o.largest.size()) {
    throw std::invalid_argument("answers to different requests cannot be added");
  }
  for (size_t k = 0; k < sums.size(); ++k) sums[k] += o.sums[k];
  for (size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], o.largest[k]);
  return *this;
}

RowServer::RowServer(const Problem& problem, int threads, Monitor& monitor)
    : whole_(
          std::make_unique<LocalRows>(problem, paying_threads(problem.sample, threads), monitor)) {
  whole_->prepare();
}

Answer RowServer::shape() const { return shape_answer(whole_->shape()); }

RowPasses& RowServer::level(int64_t number) {
  return number == 0 ? static_cast<RowPasses&>(*whole_) : *parts_[number - 1];
}

Answer RowServer::answer(std::span<const double> request) {
  Reader reader(request);
  const int64_t number = reader.integer(static_cast<int64_t>(parts_.size()));
  Answer answer;
  while (!reader.done()) {
    const auto verb = static_cast<Verb>(reader.integer(kReach));
    if (verb != kDivide) {
      answer = carry_out(level(number), verb, reader);
      continue;
    }
    parts_.resize(number);  // shares of an earlier one
    parts_.push_back(level(number).part(std::max<int64_t>(1, reader.integer(1 << 20))));
    answer = shape_answer(parts_.back()->shape());
  }
  return answer;
}

RemoteRows::RemoteRows(const Shape& common, const Answer& parts, int64_t count, Exchange exchange,
                       Monitor& monitor, int64_t level)
    : shape_(common),
      count_(count),
      exchange_(std::move(exchange)),
      monitor_(&monitor),
      level_(level) {
  shape_.rows = count_of(parts.sums[0]);
  shape_.entries = count_of(parts.sums[1]);
  shape_.box = parts.sums[2];
  shape_.additions = count_of(parts.largest[0]) + count;  // and one more for each part
  shape_.divisible = parts.largest[1] == 0;
  shape_.remote = true;
}

void RemoteRows::say(int verb, std::span<const double> arguments) {
  if (request_.empty()) request_.push_back(static_cast<double>(level_));
  request_.push_back(verb);
  request_.insert(request_.end(), arguments.begin(), arguments.end());
}

Answer RemoteRows::ask(int verb, Sizes expected, std::span<const double> arguments) {
  say(verb, arguments);
  const std::vector<double> request = std::exchange(request_, {});
  Answer answer = exchange_(request);
  if (std::ssize(answer.sums) != expected.sums || std::ssize(answer.largest) != expected.largest) {
    throw std::invalid_argument("an answer has " + std::to_string(answer.sums.size()) + " and " +
                                std::to_string(answer.largest.size()) + " numbers; it must have " +
                                std::to_string(expected.sums) + " and " +
                                std::to_string(expected.largest));
  }
  return answer;
}

std::unique_ptr<RowPasses> RemoteRows::part(int64_t times) {
  const double by[] = {static_cast<double>(times)};
  return std::make_unique<RemoteRows>(shape_, ask(kDivide, {3, 2}, by), count_, exchange_,
                                      *monitor_, level_ + 1);
}

bool RemoteRows::score(const std::vector<double>& w, double b) {
  std::vector<double> point = w;
  point.push_back(b);
  say(kScore, point);
  return !stopped();
}

void RemoteRows::smooth(double sigma) { say(kSmooth, {&sigma, 1}); }
void RemoteRows::centre_in_the_middle() { say(kCentreInTheMiddle); }
void RemoteRows::centre_at_the_point() { say(kCentreAtThePoint); }

bool RemoteRows::slopes(Terms& terms, DualSums& dual) {
  Answer answer = ask(kSlopes, {6 + shape_.columns, 0});
  terms = terms_at(answer.sums.data());
  answer.sums.erase(answer.sums.begin(), answer.sums.begin() + 4);
  dual = dual_of(std::move(answer.sums));
  return !stopped();
}

const std::vector<double>* RemoteRows::gram() {
  const int64_t order = gram_order(shape_.columns, shape_.intercept.present);
  unpack(ask(kGram, {order * (order + 1) / 2, 0}).sums, order, gram_);
  return stopped() ? nullptr : &gram_;
}

bool RemoteRows::squares(std::vector<double>& out) {
  out = ask(kSquares, {shape_.columns + 1, 0}).sums;
  return !stopped();
}

bool RemoteRows::product(const std::vector<double>& v, std::vector<double>& out) {
  out = ask(kProduct, {unknowns(), 0}, v).sums;
  return !stopped();
}

bool RemoteRows::aim(const std::vector<double>& direction) {
  say(kAim, direction);
  return !stopped();
}

Slope RemoteRows::along(double step) {
  const Answer answer = ask(kAlong, {2, 0}, {&step, 1});
  return {answer.sums[0], answer.sums[1]};
}

void RemoteRows::advance(double step) { say(kAdvance, {&step, 1}); }

bool RemoteRows::foresee(Foresight& found) {
  Answer answer = ask(kForesee, {5 + shape_.columns, 0});
  found.terms = terms_at(answer.sums.data());
  found.sum = answer.sums[4];
  found.clipped.assign(answer.sums.begin() + 5, answer.sums.end());
  return !stopped();
}

void RemoteRows::keep(Point point) {
  const double number[] = {static_cast<double>(point)};
  say(kKeep, number);
}
void RemoteRows::consider(Point point) {
  const double number[] = {static_cast<double>(point)};
  say(kConsider, number);
}
void RemoteRows::clear() { say(kClear); }

double RemoteRows::total() { return ask(kTotal, {1, 0}).sums[0]; }

Rooms RemoteRows::rooms(double rest) {
  const Answer answer = ask(kRooms, {3, 0}, {&rest, 1});
  return {answer.sums[0], answer.sums[1], answer.sums[2]};
}

void RemoteRows::shift(double rest, double share, bool inside_only) {
  const double by[] = {rest, share, inside_only ? 1.0 : 0.0};
  say(kShift, by);
}

bool RemoteRows::combine(DualSums& dual) {
  dual = dual_of(ask(kCombine, {2 + shape_.columns, 0}).sums);
  return !stopped();
}

Terms RemoteRows::compare() { return terms_at(ask(kCompare, {4, 0}).sums.data()); }

bool RemoteRows::costs(const std::vector<double>& w, Costs& costs) {
  const Answer answer = ask(kCosts, {2, 2}, w);
  costs = {-answer.largest[0], answer.largest[1], answer.sums[0], count_of(answer.sums[1])};
  return !stopped();
}

Reach RemoteRows::reach() {
  const Answer answer = ask(kReach, {1, 1});
  return {answer.sums[0], answer.largest[0]};
}

}  // namespace svm::linear
