#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace compeer::statistics {

using Points = std::vector<std::vector<double>>;  ///< [points, dimensions]

struct Clustering {
  std::vector<size_t> labels;  ///< of each point: its centre
  Points centres;
  double inertia = 0;  ///< sum of squared distances of the points to their centres
  int64_t iterations = 0;
};

/// Lloyd's algorithm from these centres, until no point changes its centre; a point between two goes to the first. A
/// centre that loses all its points is moved to the point that is farthest from its own. Sums go in the order of
/// points.
Clustering lloyd(const Points& points, Points centres);

/// How well points lie in their clusters, in [-1, 1]: the mean of (b - a) / max(a, b), a being a point's mean distance
/// to the others of its cluster and b that to the nearest other cluster; 0 for a point alone. NaN with fewer than two
/// clusters.
double silhouette(const Points& points, const std::vector<size_t>& labels);

/// Numbers in [0, 1) for try `attempt`, draw `draw`.
using Uniform = std::function<double(uint32_t attempt, uint32_t draw)>;

/// k centres by k-means++: the first is any point, each further one a point with a probability in proportion to its
/// squared distance to the nearest centre so far. 1 <= k <= points.
Points spread_centres(const Points& points, size_t k, uint32_t attempt, const Uniform& uniform);

/// The clustering of smallest inertia out of `restarts`; of equal ones the first.
Clustering kmeans(const Points& points, size_t k, uint32_t restarts, const Uniform& uniform);

/// The elbow of inertias for k = 1, 2, ...: the k whose point (k, inertia), both scaled to [0, 1], lies farthest below
/// the chord from the first to the last; the smallest such k. With fewer than three, or if none lies below: the last.
size_t elbow(const std::vector<double>& inertias);

}  // namespace compeer::statistics
