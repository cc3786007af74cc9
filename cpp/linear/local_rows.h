// The rows of a problem in this process, with their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linear/curvature.h"
#include "linear/row_passes.h"
#include "linear/solve.h"

namespace svm::linear {

// Dual variables with their intervals.
struct BoxedPoint {
  const Problem& problem;
  std::vector<double>& beta;

  double total() const;
  Rooms rooms(double rest) const;
  void shift(double rest, double share, bool inside_only);

 private:
  double room(int64_t k, double rest) const;
  bool inside(int64_t k) const;
};

// Terms of the losses at scores s and dual variables beta.
Terms terms_of(const Problem& problem, const std::vector<double>& s,
               const std::vector<double>& beta, const Workers& workers);

class LocalRows : public RowPasses {
 public:
  LocalRows(const Problem& problem, int threads, Monitor& monitor);

  // The point to begin with, cut to the box, which is also the centre.
  void begin_at(const std::vector<double>& beta);
  // All numbers are there, whatever is asked for first.
  void prepare();
  // The candidate is this one.
  void consider(std::vector<double> beta) { candidate_ = std::move(beta); }

  const Shape& shape() const override { return shape_; }
  void watch(Monitor& monitor) override { monitor_ = &monitor; }
  std::unique_ptr<RowPasses> part(int64_t times) override;

  bool score(const std::vector<double>& w, double b) override;
  void smooth(double sigma) override;
  void centre_in_the_middle() override;
  void centre_at_the_point() override { centre_ = beta_; }
  bool slopes(Terms& terms, DualSums& dual) override;

  const std::vector<double>* gram() override;
  bool squares(std::vector<double>& out) override;
  bool product(const std::vector<double>& v, std::vector<double>& out) override;

  bool aim(const std::vector<double>& direction) override;
  std::vector<Slope> along(const std::vector<double>& steps) override;
  void advance(double step) override;
  bool foresee(Foresight& found) override;

  void keep(Point point) override { best_ = beta_of(point); }

  void consider(Point point) override { candidate_ = beta_of(point); }
  void clear() override { candidate_.assign(n_, 0.0); }
  double total() override { return boxed().total(); }
  Rooms rooms(double rest) override { return boxed().rooms(rest); }
  void shift(double rest, double share, bool inside_only) override {
    boxed().shift(rest, share, inside_only);
  }
  bool combine(DualSums& dual) override;
  Terms compare() override;
  bool costs(const std::vector<double>& w, Costs& costs) override;
  Reach reach() override;
  double rounding() override;
  std::vector<double> take() override { return std::move(candidate_); }

 private:
  Workers workers() const { return {threads_, *monitor_}; }
  BoxedPoint boxed() { return {problem_, candidate_}; }
  const std::vector<double>& beta_of(Point point) const;
  bool combine_changes(DualSums& dual);
  const std::vector<double>& norms();

  const Problem& problem_;
  const Sample& sample_;
  Loss& loss_;
  int threads_;
  Monitor* monitor_;
  int64_t n_;
  Shape shape_;
  std::vector<double> s_, delta_, curvature_;
  double weights_ = 0, constant_ = 0;  // |w| and |b| of the scores that score() has made
  std::vector<double> norms_;          // |x_k|, once they were asked for
  std::vector<double> beta_, centre_, foreseen_, best_, candidate_;
  std::vector<double> combined_, change_;  // beta whose X'beta is known; what has changed since
  std::vector<double> combined_w_;         // that X'beta
  int64_t updates_ = 0;
  std::optional<CurvatureGram> gram_;
  std::optional<CurvatureProducts> products_;
};

}  // namespace svm::linear
