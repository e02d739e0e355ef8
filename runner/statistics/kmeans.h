#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace compeer::statistics {

using Points = std::vector<std::vector<double>>;  ///< [points, dimensions]

struct Clustering {
  std::vector<size_t> labels;  ///< per point: index of its centre
  Points centres;
  double inertia = 0;  ///< sum of squared distances of the points to their centres
  int64_t iterations = 0;
};

/// Runs Lloyd's algorithm from `centres` until no label changes. Ties go to the centre with the lower index. A centre
/// that loses all points moves to the point farthest from its own centre. Sums are in the order of points. There must
/// be at least one point.
Clustering lloyd(const Points& points, Points centres);

/// Returns the mean silhouette coefficient, in [-1, 1]: (b - a) / max(a, b), where a is a point's mean distance to the
/// other points of its cluster and b that to the points of the nearest other cluster; 0 for a point alone in its
/// cluster. NaN for fewer than two clusters.
double silhouette(const Points& points, const std::vector<size_t>& labels);

/// Returns the random number in [0, 1) of draw `draw` in restart `attempt`.
using Uniform = std::function<double(uint32_t attempt, uint32_t draw)>;

/// Returns k initial centres by k-means++: the first is a random point; each further one is a point drawn with
/// probability proportional to its squared distance to the nearest centre so far. 1 <= k <= points.
Points kmeans_plus_plus(const Points& points, size_t k, uint32_t attempt, const Uniform& uniform);

/// Runs k-means with `restarts` initializations and returns the clustering with the smallest inertia, the first of
/// several.
Clustering kmeans(const Points& points, size_t k, uint32_t restarts, const Uniform& uniform);

/// Returns the elbow of the inertias for k = 1, 2, ...: the k whose point (k, inertia), both scaled to [0, 1], is
/// farthest below the chord from the first to the last point, the smallest of several. Returns the last k if there are
/// fewer than three, or if no point is below the chord.
size_t elbow(const std::vector<double>& inertias);

}  // namespace compeer::statistics
