// Which variables to solve for next: the free ones of the last set, then the worst violators of
// both sides in turn. The worst pair is always among them, which is what convergence rests on;
// keeping free variables prevents zigzagging between sets.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "dual/dual.h"

namespace svm {

class WorkingSet {
 public:
  explicit WorkingSet(int64_t variables) : chosen_(variables, false) {}

  const std::vector<int64_t>& members() const { return members_; }

  void select(int64_t size, const Box& box, const double* beta, const double* f,
              const Extremes& worst) {
    size_ = size;
    std::vector<int64_t> next;
    next.reserve(size_);
    std::fill(chosen_.begin(), chosen_.end(), false);
    for (auto i = members_.rbegin(); i != members_.rend(); ++i) {
      if (static_cast<int64_t>(next.size()) >= size_ / 2) break;
      if (box.free(*i, beta[*i])) take(*i, next);
    }
    const int64_t listed = list_violators(box, beta, f, worst);
    // All of them, as at the start of a small problem: then there is nothing to choose.
    if (std::ssize(next) + listed == box.size() && box.size() <= size_) {
      members_.resize(box.size());
      std::iota(members_.begin(), members_.end(), 0);
      return;
    }
    size_t longest = 0;
    for (const auto& side : sides_) longest = std::max(longest, side.size());
    // Ups and downs of each group in turn: among many ties one side would crowd out its partners.
    // Where both are long, half of what there is room for is enough of each: only that is sorted.
    const size_t slice = (size_ - next.size() + 1) / 2;
    for (size_t k = 0; k < longest && static_cast<int64_t>(next.size()) < size_; ++k) {
      for (auto& side : sides_) {
        if (k % slice == 0) sort_slice(side, k, slice);
        if (k < side.size()) take(side[k].variable, next);
      }
    }
    members_ = std::move(next);
  }

 private:
  struct Candidate {
    double cost;  // minus its violation against the worst of the other side
    int64_t variable;
    // Ties are common at the start: they are broken all over the data, not by place.
    bool operator<(const Candidate& other) const {
      return cost != other.cost ? cost < other.cost : scatter(variable) < scatter(other.variable);
    }
  };

  static uint64_t scatter(int64_t i) {
    uint64_t z = static_cast<uint64_t>(i) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Lists the violators beside those that are chosen already: how many these are, or as many of the
  // worst of each side as a set has room for.
  int64_t list_violators(const Box& box, const double* beta, const double* f,
                         const Extremes& worst) {
    if (!box.group.empty()) return list_of_groups(box, beta, f, worst);
    const double most = worst.down[0], least = worst.up[0];
    if (box.size() < kSampled * size_) return list_beyond(box, beta, f, worst, most, least);
    const auto [rises, falls] = likely_bounds(box, beta, f, worst);
    const int64_t listed = list_beyond(box, beta, f, worst, rises, falls);
    const bool enough = (rises == most || std::ssize(sides_[0]) >= size_) &&
                        (falls == least || std::ssize(sides_[1]) >= size_);
    return enough ? listed : list_beyond(box, beta, f, worst, most, least);
  }

  // Lists those whose way up costs less than `rises`, or whose way down gives back more than `falls`.
  int64_t list_beyond(const Box& box, const double* beta, const double* f, const Extremes& worst,
                      double rises, double falls) {
    for (auto& side : sides_) side.clear();
    const size_t bytes = static_cast<size_t>(box.size() + 7) / 8;
    rises_.resize(bytes), falls_.resize(bytes);
    simd::variable_table().violators(variables_of(box, beta, f), rises, falls, rises_.data(),
                                     falls_.data());
    int64_t listed = 0;
    for (size_t byte = 0; byte < bytes; ++byte) {
      for (unsigned left = rises_[byte] | falls_[byte]; left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        const int64_t i = static_cast<int64_t>(8 * byte) + bit;
        if (chosen_[i]) continue;
        if (rises_[byte] >> bit & 1) {
          sides_[0].push_back({f[i] + box.up_offset(i, beta[i]) - worst.down[0], i});
        }
        if (falls_[byte] >> bit & 1) {
          sides_[1].push_back({worst.up[0] - (f[i] + box.down_offset(i, beta[i])), i});
        }
        ++listed;
      }
    }
    return listed;
  }

  // Beyond which way up, and which way down, there are likely to be somewhat more violators than a
  // set has room for, as a sample of the variables tells.
  std::pair<double, double> likely_bounds(const Box& box, const double* beta, const double* f,
                                          const Extremes& worst) {
    std::vector<double> ups, downs;
    const int64_t every = std::max<int64_t>(1, box.size() / kSample);
    for (int64_t i = 0; i < box.size(); i += every) {
      ups.push_back(f[i] + box.up_offset(i, beta[i]));
      downs.push_back(-f[i] - box.down_offset(i, beta[i]));
    }
    const int64_t place = (kMargin * size_) / (2 * every) + kLeastPlace;
    const auto bound = [&](std::vector<double>& costs) {
      if (place >= std::ssize(costs)) return kInfinity;
      std::ranges::nth_element(costs, costs.begin() + place);
      return costs[place];
    };
    return {std::min(worst.down[0], bound(ups)), std::max(worst.up[0], -bound(downs))};
  }

  int64_t list_of_groups(const Box& box, const double* beta, const double* f,
                         const Extremes& worst) {
    int64_t listed = 0;
    for (auto& side : sides_) side.clear();
    std::array<double, Box::kBlock> up, down;
    for (int64_t first = 0; first < box.size(); first += Box::kBlock) {
      const int64_t count = box.costs(first, beta, f, up.data(), down.data());
      for (int64_t k = 0; k < count; ++k) {
        const int64_t i = first + k;
        const int g = box.group_of(i);
        if (chosen_[i]) continue;
        const bool rises = up[k] < worst.down[g];
        const bool falls = worst.up[g] < down[k];
        if (rises) sides_[2 * g].push_back({up[k] - worst.down[g], i});
        if (falls) sides_[2 * g + 1].push_back({worst.up[g] - down[k], i});
        listed += rises || falls;
      }
    }
    return listed;
  }

  // Brings the best from place `first` on to their places, `count` of them.
  static void sort_slice(std::vector<Candidate>& side, size_t first, size_t count) {
    if (first >= side.size()) return;
    const auto begin = side.begin() + static_cast<int64_t>(first);
    const auto end = begin + static_cast<int64_t>(std::min(count, side.size() - first));
    std::nth_element(begin, end - 1, side.end());
    std::sort(begin, end);
  }
  void take(int64_t i, std::vector<int64_t>& next) {
    if (chosen_[i] || static_cast<int64_t>(next.size()) >= size_) return;
    chosen_[i] = true;
    next.push_back(i);
  }

  // With so many times the variables that a set has, a sample of about so many tells beyond what
  // the worst of them are: half as many more as there is room for, and a few.
  static constexpr int64_t kSampled = 8, kSample = 2048, kMargin = 3, kLeastPlace = 8;

  int64_t size_ = 0;
  std::vector<bool> chosen_;
  std::vector<uint8_t> rises_, falls_;  // a bit for each variable
  std::vector<int64_t> members_;
  std::array<std::vector<Candidate>, 2 * kGroups> sides_;  // ups and downs of each group
};

}  // namespace svm
