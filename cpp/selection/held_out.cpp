#include "selection/held_out.h"

#include <algorithm>
#include <map>
#include <utility>

#include "simd/table.h"

namespace svm {

HeldOut::HeldOut(Places test, const std::vector<const Places*>& parts, int64_t Cs)
    : test_(std::move(test)), parts_(std::ssize(parts)), Cs_(Cs), members_(parts.size()) {
  std::map<int64_t, std::vector<int64_t>> parts_of;
  for (int64_t part = 0; part < parts_; ++part) {
    for (const int64_t place : parts[part]->each) parts_of[place].push_back(part);
  }
  std::map<std::vector<int64_t>, int64_t> number;
  for (const auto& [place, list] : parts_of) {
    const auto [at, fresh] = number.try_emplace(list, std::ssize(groups_));
    if (fresh) groups_.push_back({.places = {}, .parts = list});
    Group& group = groups_[at->second];
    for (size_t slot = 0; slot < list.size(); ++slot) {
      members_[list[slot]].push_back({at->second, group.places.size(), static_cast<int64_t>(slot)});
    }
    group.places.add(place);
  }
  const int64_t panel = simd::table().f64.width;
  for (Group& group : groups_) {
    group.start = weights_;
    group.width = (std::ssize(group.parts) * Cs_ + panel - 1) / panel * panel;
    weights_ += group.width * group.places.size();
  }
}

void HeldOut::store(int64_t part, int64_t c, std::span<const double> beta, double intercept,
                    Found& found) const {
  for (size_t i = 0; i < beta.size(); ++i) {
    if (beta[i] == 0) continue;
    const auto& [g, row, slot] = members_[part][i];
    found.weights[groups_[g].start + row * groups_[g].width + slot * Cs_ + c] = beta[i];
  }
  found.intercepts[part * Cs_ + c] = intercept;
}

HeldOut::Factor HeldOut::pack(const Group& group, const Found& found) const {
  Factor factor{&group, {}, {}};
  std::vector<const double*> rows;
  for (int64_t k = 0; k < group.places.size(); ++k) {
    const double* row = found.weights.data() + group.start + k * group.width;
    if (std::all_of(row, row + group.width, [](double weight) { return weight == 0; })) continue;
    factor.places.add(group.places.each[k]);
    rows.push_back(row);
  }
  const int64_t panel = simd::table().f64.width;
  for (int64_t first = 0; first < group.width; first += panel) {
    for (const double* row : rows) {
      factor.weights.insert(factor.weights.end(), row + first, row + first + panel);
    }
  }
  return factor;
}

void HeldOut::evaluate(const SplitMatrix& K, const Found& found, const Take& take) const {
  constexpr int64_t kRows = 24;  // at a time
  const int64_t panel = simd::table().f64.width;
  std::vector<Factor> factors;
  for (const Group& group : groups_) factors.push_back(pack(group, found));
  std::vector<double> out(kRows * columns()), values, products;
  for (int64_t first = 0; first < tests(); first += kRows) {
    const int64_t count = std::min(kRows, tests() - first);
    for (int64_t r = 0; r < count; ++r) {
      std::copy(found.intercepts.begin(), found.intercepts.end(), out.begin() + r * columns());
    }
    for (const auto& [group, places, weights] : factors) {
      const int64_t depth = places.size(), width = group->width;
      values.resize(count * depth);
      products.resize(count * width);
      for (int64_t r = 0; r < count; ++r) {
        K.entries(test_.each[first + r], places, values.data() + r * depth);
      }
      simd::table().f64.weigh(values.data(), depth, count, weights.data(), depth, width / panel,
                              products.data(), width);
      for (int64_t r = 0; r < count; ++r) {
        const double* from = products.data() + r * width;
        for (const int64_t part : group->parts) {
          double* to = out.data() + r * columns() + part * Cs_;
          for (int64_t c = 0; c < Cs_; ++c) to[c] += *from++;
        }
      }
    }
    take(first, count, out.data());
  }
}

}  // namespace svm
