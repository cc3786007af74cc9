// Rows of a problem that are elsewhere, in several parts.
//
// A request is numbers: a level, then verbs with their arguments, of which the last is answered.
// Every part gets the same request (`RowServer`), and the answers of all parts are added up by
// `Answer::operator+=`, in any order or as a tree. What has no answer waits for the next request
// that has one, so that a step of Newton's method takes few of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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
  Slope along(double step) override;
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
  std::vector<double> take() override { return {}; }

 private:
  bool stopped() const { return monitor_->stop(); }
  int64_t unknowns() const { return shape_.columns + (shape_.intercept.present ? 1 : 0); }
  void say(int verb, std::span<const double> arguments = {});
  // Throws std::invalid_argument where the answer does not have so many numbers.
  struct Sizes {
    int64_t sums, largest;
  };
  Answer ask(int verb, Sizes expected, std::span<const double> arguments = {});

  Shape shape_;
  int64_t count_;
  Exchange exchange_;
  Monitor* monitor_;
  int64_t level_;
  std::vector<double> request_;
  std::vector<double> gram_;
};

}  // namespace svm::linear
