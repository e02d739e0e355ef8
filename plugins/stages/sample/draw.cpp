// Gaussian sparse sampling (Eq. 1).
#include "stages/sample/draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace compeer::stages {

std::vector<double> round_probabilities(size_t rounds) {
  const double mu = static_cast<double>(rounds) / 2, sigma = static_cast<double>(rounds) / 4;
  std::vector<double> p(rounds);
  for (size_t i = 0; i < rounds; ++i) {
    const double distance = static_cast<double>(i + 1) - mu;
    p[i] = std::exp(-distance * distance / (2 * sigma * sigma));
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& one : p) one /= sum;
  return p;
}

std::vector<size_t> draw_rounds(size_t rounds, size_t wanted, const std::function<double(size_t)>& uniform) {
  std::vector<size_t> left(rounds);
  std::iota(left.begin(), left.end(), size_t{0});
  if (rounds <= wanted) return left;
  const auto p = round_probabilities(rounds);
  std::vector<size_t> drawn;
  for (size_t k = 0; k < wanted; ++k) {
    double total = 0;
    for (const size_t i : left) total += p[i];
    double at = uniform(k) * total;
    size_t chosen = 0;
    while (chosen + 1 < left.size() && at >= p[left[chosen]]) at -= p[left[chosen++]];
    drawn.push_back(left[chosen]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace compeer::stages
