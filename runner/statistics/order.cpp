#include "statistics/order.h"

#include <algorithm>
#include <vector>

namespace compeer::statistics {

double in_order(std::span<const double> above, std::span<const double> below) {
  std::vector<double> sorted(below.begin(), below.end());
  std::sort(sorted.begin(), sorted.end());
  double twice = 0;
  for (const double value : above) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    twice += static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
  }
  return twice / 2;
}

}  // namespace compeer::statistics
