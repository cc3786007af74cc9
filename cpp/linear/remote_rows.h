// Rows of a problem that are elsewhere, in several parts.
//
// A request is numbers: a level, then verbs with their arguments, and its answer is those of its
// verbs, one after the other. Every part gets the same request (`RowServer`), and the answers of all
// parts are added up by `Answer::operator+=`, in any order or as a tree. What has no answer waits
// for the next request that has one, and what is likely to be asked next is asked along with it, so
// that a step of Newton's method takes few of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "linear/local_rows.h"
#include "linear/row_passes.h"

namespace svm::linear {

// A part without rows has nothing to say: its answer is empty, and adds nothing.
struct Answer {
  std::vector<double> sums;     // over rows
  std::vector<double> largest;  // of rows
  Answer& operator+=(const Answer& o);
};

// The rows of one part, where they are.
class RowServer {
 public:
  RowServer(const Problem& problem, int threads, Monitor& monitor);

  // The part's share of the shape, as RemoteRows takes it.
  Answer shape() const;
  // Throws std::invalid_argument where the request is none.
  Answer answer(std::span<const double> request);
  // The dual variables of the candidate.
  std::vector<double> take() { return whole_->take(); }

 private:
  RowPasses& level(int64_t number);

  std::unique_ptr<LocalRows> whole_;
  std::vector<std::unique_ptr<RowPasses>> parts_;  // each a share of the one before
};

class RemoteRows : public RowPasses {
 public:
  // Sends a request to all parts and returns the sum of the answers, or throws.
  using Exchange = std::function<Answer(std::span<const double>)>;

  // `parts` is the sum of what RowServer::shape() said; `common` has columns, kinked, intercept and
  // scale.
  RemoteRows(const Shape& common, const Answer& parts, int64_t count, Exchange exchange,
             Monitor& monitor, int64_t level = 0);

  const Shape& shape() const override { return shape_; }
  void watch(Monitor& monitor) override { monitor_ = &monitor; }
  std::unique_ptr<RowPasses> part(int64_t times) override;

  bool score(const std::vector<double>& w, double b) override;
  void smooth(double sigma) override;
  void centre_in_the_middle() override;
  void centre_at_the_point() override;
  bool slopes(Terms& terms, DualSums& dual) override;
  const std::vector<double>* gram() override;
  bool squares(std::vector<double>& out) override;
  bool product(const std::vector<double>& v, std::vector<double>& out) override;
  bool aim(const std::vector<double>& direction) override;
  std::vector<Slope> along(const std::vector<double>& steps) override;
  void advance(double step) override;
  bool foresee(Foresight& found) override;
  void keep(Point point) override;
  void consider(Point point) override;
  void clear() override;
  double total() override;
  Rooms rooms(double rest) override;
  void shift(double rest, double share, bool inside_only) override;
  bool combine(DualSums& dual) override;
  Terms compare() override;
  bool costs(const std::vector<double>& w, Costs& costs) override;
  Reach reach() override;
  double rounding() override;
  std::vector<double> take() override { return {}; }

 private:
  bool stopped() const { return monitor_->stop(); }
  int64_t unknowns() const { return shape_.columns + (shape_.intercept.present ? 1 : 0); }
  struct Question {
    int verb;
    std::vector<double> arguments{};
    bool operator==(const Question&) const = default;
  };
  struct Sizes {
    int64_t sums = 0, largest = 0;
  };
  Sizes sizes(const Question& question) const;
  void say(const Question& question);
  // The answer to a question, which has come already or comes with those to the next ones. Throws
  // std::invalid_argument where answers do not have as many numbers as they must.
  Answer ask(const Question& question, std::vector<Question> next = {});
  // What is asked after slopes(): what the method made its equations of the last time.
  std::vector<Question> equations() const;

  Shape shape_;
  int64_t count_;
  Exchange exchange_;
  Monitor* monitor_;
  int64_t level_;
  std::vector<double> request_;
  std::vector<std::pair<Question, Answer>> early_;  // answers that nobody has asked for yet
  std::optional<int> made_of_;                      // gram or squares
  std::vector<double> gram_;
};

}  // namespace svm::linear
