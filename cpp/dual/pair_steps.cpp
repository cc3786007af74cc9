#include "dual/pair_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "simd/table.h"

namespace svm {
namespace {

// The gradient has the precision of the matrix here and is measured from the level of its group, so
// that rounding is small against violations, down to a 2^-21st of epsilon; nobody else sees it.
//
// A step that met no bound has left the gradient orthogonal to its direction p. The next one goes
// along d = (e_i - e_j) - (along_i - along_j) / p'Kp p, with along = Kp: that is conjugate to p,
// flatter than the pair alone, and no steeper, so the step is longer and gains more.
template <class T>
class PairSolver {
 public:
  PairSolver(const StoredMatrix<T>& K, const Box& box, double* beta, const double* f)
      : K_(K),
        box_(box),
        beta_(beta),
        f_(K.size()),
        up_(K.size()),
        down_(K.size()),
        along_(K.size()) {
    const Extremes worst = extremes(box, beta, f);
    worst_ = static_cast<T>(worst.violation());
    for (int64_t i = 0; i < K.size(); ++i) {
      update(i);
      diagonal_.push_back(K.row(i)[i]);
      f_[i] = narrow(f[i] - worst.level(box.group_of(i)));
    }
    constant_ = std::ranges::count(diagonal_, diagonal_[0]) == K.size();
    for (int g = 0; g < box.groups(); ++g) {
      ends_[g] = std::count_if(box.group.begin(), box.group.end(), [g](int h) { return h <= g; });
    }
    if (box.group.empty()) ends_[0] = K.size();
    for (int g = 0; g < box.groups(); ++g) {
      const auto [begin, n] = range(g);
      lowest_[g] = loops_.lowest(f_.data() + begin, up_.data() + begin, n, &low_[g]);
    }
  }

  void run(double tol, Budget& budget) {
    const int64_t enough = std::min(budget.limit, budget.steps + kStepsEach * K_.size());
    for (; budget.steps < enough; ++budget.steps, budget.touched += K_.size()) {
      if (budget.steps % kAsked == 0 && budget.monitor.stop()) return;
      const Pair pair = select(tol);
      if (pair.i < 0 || !move(pair, budget)) return;
    }
  }

 private:
  static constexpr int64_t kStepsEach = 8;  // per variable, before others are looked at again
  static constexpr int64_t kAsked = 2048;   // steps between two looks at the monitor

  struct Pair {
    int64_t i = -1, j = -1;  // up and down
    T violation = 0, gain = 0;
  };

  void update(int64_t i) {
    up_[i] = static_cast<T>(box_.up_offset(i, beta_[i]));
    down_[i] = static_cast<T>(box_.down_offset(i, beta_[i]));
  }

  // Finite, as the infinite ones are those that cannot move.
  static T narrow(double x) {
    constexpr double most = std::numeric_limits<T>::max() / 1024;
    return static_cast<T>(std::clamp(x, -most, most));
  }

  std::pair<int64_t, int64_t> range(int g) const {
    const int64_t begin = g == 0 ? 0 : ends_[g - 1];
    return {begin, ends_[g] - begin};
  }

  // Of each group the variable that is cheapest to move up, with the partner of the largest
  // second-order gain; then the better group. None where no violation is above tol.
  Pair select(double tol) {
    Pair best;
    const T scale = 1 / std::max(worst_, simd::kSmallestCurvature<T>);
    worst_ = 0;
    for (int g = 0; g < box_.groups(); ++g) {
      const auto [begin, n] = range(g);
      const int64_t i = begin + lowest_[g];
      if (lowest_[g] < 0) continue;
      const simd::PairCurvatures<T> curvatures{
          K_.row(i) + begin, constant_ ? nullptr : diagonal_.data() + begin,
          diagonal_[i],      along_.data() + begin,
          along_[i],         static_cast<T>(last_.open() ? 1 / curvature_ : 0)};
      T gain, violation;
      const int64_t j = loops_.partner(curvatures, f_.data() + begin, down_.data() + begin, low_[g],
                                       scale, n, &gain, &violation);
      if (j < 0) continue;
      worst_ = std::max(worst_, violation);
      if (!(gain > best.gain)) continue;
      best = {i, begin + j, f_[begin + j] + down_[begin + j] - low_[g], gain};
    }
    return worst_ > tol ? best : Pair();
  }

  // A step along a conjugate direction, or else along the pair. False when it is below rounding.
  bool move(const Pair& pair, Budget& budget) {
    const int64_t i = pair.i, j = pair.j;
    const double curvature = simd::curvature(diagonal_[i], diagonal_[j], K_.row(i)[j]);
    budget.concave |= concave(diagonal_[i], diagonal_[j], K_.row(i)[j]);
    const double beta_i = beta_[i], beta_j = beta_[j];
    double share = 0;
    double step = move_turned(pair, curvature, &share);
    if (step == 0) step = move_pair(pair, curvature);
    if (beta_[i] == beta_i && beta_[j] == beta_j) return false;
    update(i);
    update(j);
    for (int g = 0; g < box_.groups(); ++g) {
      const auto [begin, n] = range(g);
      lowest_[g] =
          loops_.move(K_.row(i) + begin, K_.row(j) + begin, narrow(share), narrow(step),
                      along_.data() + begin, f_.data() + begin, up_.data() + begin, n, &low_[g]);
    }
    return true;
  }

  // The step along the pair turned towards the last direction, if that flattens it and all
  // variables stay inside; else 0, and nothing has moved.
  double move_turned(const Pair& pair, double curvature, double* share) {
    if (!last_.open()) return 0;
    const double difference = static_cast<double>(along_[pair.i]) - along_[pair.j];
    const double turned = curvature - difference * difference / curvature_;
    if (!(turned > simd::kLeastCurvature * curvature)) return 0;
    const double step = pair.violation / turned;
    const Direction next = last_.turn(pair.i, pair.j, -difference / curvature_);
    for (const auto& [i, change] : next.parts()) {
      const double x = beta_[i] + step * change;
      if (!(x > box_.down_end(i, beta_[i]) && x < box_.up_end(i, beta_[i]))) return 0;
    }
    for (const auto& [i, change] : next.parts()) beta_[i] += step * change;
    *share = -difference / curvature_;
    last_ = next;
    curvature_ = turned;
    return step;
  }

  // The step along (+1, -1) that minimises the pair's parabola, cut at the first bound or kink.
  double move_pair(const Pair& pair, double curvature) {
    const auto [i, j, violation, gain] = pair;
    const double beta_i = beta_[i], beta_j = beta_[j];
    const double room_i = box_.up_end(i, beta_i) - beta_i,
                 room_j = beta_j - box_.down_end(j, beta_j);
    const double step = std::min({violation / curvature, room_i, room_j});
    beta_[i] = step == room_i ? box_.up_end(i, beta_i) : beta_i + step;
    beta_[j] = step == room_j ? box_.down_end(j, beta_j) : beta_j - step;
    const bool cut = step == room_i || step == room_j;
    last_ = cut || flat(diagonal_[i], diagonal_[j], curvature) ? Direction() : Direction(i, j);
    curvature_ = curvature;
    return step;
  }

  // The pair's curvature is mostly rounding.
  static bool flat(double k_ii, double k_jj, double curvature) {
    return curvature <= 4 * simd::kCurvatureRounding<T> * (std::abs(k_ii) + std::abs(k_jj));
  }

  // Negative by more than the rounding of the three values.
  static bool concave(double k_ii, double k_jj, double k_ij) {
    constexpr double kRounding = sizeof(T) == sizeof(float) ? 1e-5 : 1e-13;
    const double size = std::abs(k_ii) + std::abs(k_jj) + std::abs(k_ij);
    return k_ii + k_jj - 2 * k_ij < -kRounding * size;
  }

  const StoredMatrix<T>& K_;
  const Box& box_;
  double* beta_;
  const simd::Loops<T>& loops_ = simd::table().loops<T>();
  std::vector<T> f_, up_, down_, diagonal_;
  bool constant_;         // the diagonal
  Direction last_;        // of the last step, where that met no bound
  double curvature_ = 0;  // its curvature
  std::vector<T> along_;  // and its product with the matrix
  std::array<int64_t, kGroups> ends_ = {}, lowest_ = {-1, -1};  // of f + up_ in each group
  std::array<T, kGroups> low_ = {};
  T worst_;  // the last violation
};

}  // namespace

template <class T>
void take_pair_steps(const StoredMatrix<T>& K, const Box& box, double* beta, const double* f,
                     double tol, Budget& budget) {
  PairSolver<T>(K, box, beta, f).run(tol, budget);
}

template void take_pair_steps(const StoredMatrix<float>&, const Box&, double*, const double*,
                              double, Budget&);
template void take_pair_steps(const StoredMatrix<double>&, const Box&, double*, const double*,
                              double, Budget&);

}  // namespace svm
