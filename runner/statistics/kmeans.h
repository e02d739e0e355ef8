#pragma once
#include <cstdint>
#include <functional>
#include <vector>

// K-means clustering with Euclidean distances, and choice of the number of clusters.

namespace compeer::statistics {

using Points = std::vector<std::vector<double>>;  ///< coordinates [point][dimension]

/// Result of k-means.
struct Clustering {
  std::vector<size_t> labels;  ///< per point: index of its centre
  Points centres;              ///< [cluster][dimension]
  double inertia = 0;          ///< sum of squared distances of the points to their centres
  int64_t iterations = 0;      ///< iterations of Lloyd's algorithm
};

/// Runs Lloyd's algorithm (k-means) from the initial `centres` until no label changes. Ties go to the centre with the
/// lower index. A centre that loses all points moves to the point farthest from its own centre. Sums are in the order
/// of points. There must be at least one point.
Clustering lloyd(const Points& points, Points centres);

/// Returns the mean silhouette coefficient, in [-1, 1]: (b - a) / max(a, b), where a is a point's mean distance to the
/// other points of its cluster and b that to the points of the nearest other cluster; 0 for a point alone in its
/// cluster. `labels`: cluster of each point. NaN for fewer than two clusters.
double silhouette(const Points& points, const std::vector<size_t>& labels);

/// Source of random numbers: returns a number, uniform in [0, 1), that depends only on the restart of k-means, counted
/// from 0, and the number of the draw within it.
using Uniform = std::function<double(uint32_t attempt, uint32_t draw)>;

/// Returns k initial centres by k-means++: the first is a random point; each further one is a point drawn with
/// probability proportional to its squared distance to the nearest centre so far. `attempt`: argument of `uniform`.
/// 1 <= k <= points.size().
Points kmeans_plus_plus(const Points& points, size_t k, uint32_t attempt, const Uniform& uniform);

/// Runs k-means with `restarts` initializations by k-means++ and returns the clustering with the smallest inertia, the
/// first of several.
Clustering kmeans(const Points& points, size_t k, uint32_t restarts, const Uniform& uniform);

/// Returns the number of clusters k at the elbow of `inertias`, those for k = 1, 2, ...: the k with the point (k,
/// inertia), both scaled to [0, 1], that is farthest below the chord from the first to the last point, the smallest of
/// several. Returns the last k if there are fewer than three, or if no point is below the chord.
size_t elbow(const std::vector<double>& inertias);

}  // namespace compeer::statistics
