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
  kRounding,
};

// Steps along a direction that are asked at once where they cost less than a round of messages does,
// and products of numbers that a matrix of second derivatives may take to be asked for in advance.
constexpr int kTrials = 8;
constexpr int64_t kFewRows = int64_t{1} << 21, kFewProducts = int64_t{1} << 26;

// Whether a verb makes answers to others out of date.
bool changes(Verb verb) {
  switch (verb) {
    case kScore:
    case kSmooth:
    case kCentreInTheMiddle:
    case kCentreAtThePoint:
    case kSlopes:
    case kAim:
    case kAdvance:
    case kForesee:
    case kConsider:
    case kClear:
    case kShift:
      return true;
    default:
      return false;
  }
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}
void append(std::vector<double>& to, const Terms& terms) {
  to.insert(to.end(), {terms.loss, terms.dual, terms.difference, terms.rounding});
}
void append(Answer& to, const Answer& more) {
  append(to.sums, more.sums);
  append(to.largest, more.largest);
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

void check_kinked(const Shape& shape) {
  if (!shape.kinked) throw std::invalid_argument("a loss without kinks is not smoothed");
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
      check_kinked(shape);
      return rows.smooth(request.number()), out;
    case kCentreInTheMiddle:
      check_kinked(shape);
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
    case kAlong:
      for (const Slope& slope : rows.along(request.vector(request.integer(kTrials)))) {
        out.sums.insert(out.sums.end(), {slope.first, slope.second});
      }
      return out;
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
    case kRounding:
      return sums_of({rows.rounding()});
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
  Answer all;
  while (!reader.done()) {
    const auto verb = static_cast<Verb>(reader.integer(kRounding));
    if (verb == kDivide) {
      parts_.resize(number);  // shares of an earlier one
      parts_.push_back(level(number).part(std::max<int64_t>(1, reader.integer(1 << 20))));
      append(all, shape_answer(parts_.back()->shape()));
    } else {
      append(all, carry_out(level(number), verb, reader));
    }
  }
  return all;
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
  shape_.trials = shape_.rows <= kFewRows ? kTrials : 1;
}

RemoteRows::Sizes RemoteRows::sizes(const Question& question) const {
  const int64_t d = shape_.columns, order = gram_order(d, shape_.intercept.present);
  switch (question.verb) {
    case kDivide:
      return {3, 2};
    case kSlopes:
      return {6 + d, 0};
    case kGram:
      return {order * (order + 1) / 2, 0};
    case kSquares:
      return {d + 1, 0};
    case kProduct:
      return {unknowns(), 0};
    case kAlong:
      return {2 * (std::ssize(question.arguments) - 1), 0};
    case kForesee:
      return {5 + d, 0};
    case kTotal:
      return {1, 0};
    case kRooms:
      return {3, 0};
    case kCombine:
      return {2 + d, 0};
    case kCompare:
      return {4, 0};
    case kCosts:
      return {2, 2};
    case kReach:
      return {1, 1};
    case kRounding:
      return {1, 0};
    default:
      return {};
  }
}

void RemoteRows::say(const Question& question) {
  if (changes(static_cast<Verb>(question.verb))) early_.clear();
  if (request_.empty()) request_.push_back(static_cast<double>(level_));
  request_.push_back(question.verb);
  append(request_, question.arguments);
}

Answer RemoteRows::ask(const Question& question, std::vector<Question> next) {
  for (auto known = early_.begin(); known != early_.end(); ++known) {
    if (known->first != question) continue;
    Answer answer = std::move(known->second);
    early_.erase(known);
    return answer;
  }
  say(question);
  std::erase_if(next, [&](const Question& each) {
    return std::any_of(early_.begin(), early_.end(),
                       [&](const auto& e) { return e.first == each; });
  });
  for (const Question& each : next) say(each);
  next.insert(next.begin(), question);
  Sizes all;
  for (const Question& each : next) {
    all.sums += sizes(each).sums, all.largest += sizes(each).largest;
  }
  const std::vector<double> request = std::exchange(request_, {});
  const Answer found = exchange_(request);
  if (std::ssize(found.sums) != all.sums || std::ssize(found.largest) != all.largest) {
    throw std::invalid_argument("an answer has " + std::to_string(found.sums.size()) + " and " +
                                std::to_string(found.largest.size()) + " numbers; it must have " +
                                std::to_string(all.sums) + " and " + std::to_string(all.largest));
  }
  auto sums = found.sums.begin(), largest = found.largest.begin();
  for (const Question& each : next) {
    const auto [m, k] = sizes(each);
    early_.emplace_back(each, Answer{{sums, sums + m}, {largest, largest + k}});
    sums += m, largest += k;
  }
  Answer answer = std::move(early_[early_.size() - next.size()].second);
  early_.erase(early_.end() - std::ssize(next));
  return answer;
}

std::vector<RemoteRows::Question> RemoteRows::equations() const {
  const bool few = shape_.entries * shape_.columns <= kFewProducts;
  if (!made_of_ || (made_of_ == kGram && !few)) return {};
  return {{*made_of_}};
}

std::unique_ptr<RowPasses> RemoteRows::part(int64_t times) {
  const Answer answer = ask({kDivide, {static_cast<double>(times)}});
  return std::make_unique<RemoteRows>(shape_, answer, count_, exchange_, *monitor_, level_ + 1);
}

bool RemoteRows::score(const std::vector<double>& w, double b) {
  Question point{kScore, w};
  point.arguments.push_back(b);
  say(point);
  return !stopped();
}

void RemoteRows::smooth(double sigma) { say({kSmooth, {sigma}}); }
void RemoteRows::centre_in_the_middle() { say({kCentreInTheMiddle}); }
void RemoteRows::centre_at_the_point() { say({kCentreAtThePoint}); }

bool RemoteRows::slopes(Terms& terms, DualSums& dual) {
  Answer answer = ask({kSlopes}, equations());
  terms = terms_at(answer.sums.data());
  answer.sums.erase(answer.sums.begin(), answer.sums.begin() + 4);
  dual = dual_of(std::move(answer.sums));
  return !stopped();
}

const std::vector<double>* RemoteRows::gram() {
  made_of_ = kGram;
  unpack(ask({kGram}).sums, gram_order(shape_.columns, shape_.intercept.present), gram_);
  return stopped() ? nullptr : &gram_;
}

bool RemoteRows::squares(std::vector<double>& out) {
  made_of_ = kSquares;
  out = ask({kSquares}).sums;
  return !stopped();
}

bool RemoteRows::product(const std::vector<double>& v, std::vector<double>& out) {
  out = ask({kProduct, v}).sums;
  return !stopped();
}

bool RemoteRows::aim(const std::vector<double>& direction) {
  say({kAim, direction});
  return !stopped();
}

std::vector<Slope> RemoteRows::along(const std::vector<double>& steps) {
  Question question{kAlong, {static_cast<double>(steps.size())}};
  append(question.arguments, steps);
  const Answer answer = ask(question);
  std::vector<Slope> found;
  for (size_t k = 0; k < steps.size(); ++k) {
    found.push_back({answer.sums[2 * k], answer.sums[2 * k + 1]});
  }
  return found;
}

void RemoteRows::advance(double step) { say({kAdvance, {step}}); }

// Mostly it is not the end, and the step after it begins with the slopes.
bool RemoteRows::foresee(Foresight& found) {
  std::vector<Question> next = equations();
  next.insert(next.begin(), {kSlopes});
  const Answer answer = ask({kForesee}, next);
  found.terms = terms_at(answer.sums.data());
  found.sum = answer.sums[4];
  found.clipped.assign(answer.sums.begin() + 5, answer.sums.end());
  return !stopped();
}

void RemoteRows::keep(Point point) { say({kKeep, {static_cast<double>(point)}}); }
void RemoteRows::consider(Point point) { say({kConsider, {static_cast<double>(point)}}); }
void RemoteRows::clear() { say({kClear}); }

// Either rooms are asked for next, or how good a candidate of this sum is.
double RemoteRows::total() {
  return ask({kTotal}, {{kRooms, {-1}}, {kRooms, {1}}, {kCompare}}).sums[0];
}

Rooms RemoteRows::rooms(double rest) {
  const Answer answer = ask({kRooms, {rest > 0 ? 1.0 : -1.0}});
  return {answer.sums[0], answer.sums[1], answer.sums[2]};
}

void RemoteRows::shift(double rest, double share, bool inside_only) {
  say({kShift, {rest, share, inside_only ? 1.0 : 0.0}});
}

bool RemoteRows::combine(DualSums& dual) {
  dual = dual_of(ask({kCombine}, {{kReach}, {kCompare}, {kRounding}}).sums);
  return !stopped();
}

Terms RemoteRows::compare() { return terms_at(ask({kCompare}).sums.data()); }

bool RemoteRows::costs(const std::vector<double>& w, Costs& costs) {
  const Answer answer = ask({kCosts, w});
  costs = {-answer.largest[0], answer.largest[1], answer.sums[0], count_of(answer.sums[1])};
  return !stopped();
}

Reach RemoteRows::reach() {
  const Answer answer = ask({kReach});
  return {answer.sums[0], answer.largest[0]};
}

double RemoteRows::rounding() { return ask({kRounding}).sums[0]; }

}  // namespace svm::linear
