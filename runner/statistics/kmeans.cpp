// k-means with k-means++ initialization, and measures of the number of clusters.
#include "statistics/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace compeer::statistics {

namespace {

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

size_t nearest(const std::vector<double>& point, const Points& centres) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < centres.size(); ++k) {
    const double distance = squared_distance(point, centres[k]);
    if (distance < least) least = distance, best = k;
  }
  return best;
}

size_t farthest(const Points& points, const Clustering& now) {
  size_t place = 0;
  double most = -1;
  for (size_t i = 0; i < points.size(); ++i) {
    const double distance = squared_distance(points[i], now.centres[now.labels[i]]);
    if (distance > most) most = distance, place = i;
  }
  return place;
}

void update_centres(const Points& points, Clustering& now) {
  Points sums(now.centres.size(), std::vector<double>(points[0].size()));
  std::vector<double> counts(now.centres.size());
  for (size_t i = 0; i < points.size(); ++i) {
    counts[now.labels[i]] += 1;
    for (size_t d = 0; d < points[i].size(); ++d) sums[now.labels[i]][d] += points[i][d];
  }
  for (size_t k = 0; k < sums.size(); ++k) {
    if (counts[k] == 0) continue;
    for (size_t d = 0; d < sums[k].size(); ++d) now.centres[k][d] = sums[k][d] / counts[k];
  }
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) now.centres[k] = points[farthest(points, now)];
  }
}

}  // namespace

Clustering lloyd(const Points& points, Points centres) {
  Clustering now;
  now.centres = std::move(centres);
  now.labels.assign(points.size(), std::numeric_limits<size_t>::max());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < points.size(); ++i) {
      const size_t label = nearest(points[i], now.centres);
      changed = changed || label != now.labels[i];
      now.labels[i] = label;
    }
    update_centres(points, now);
    ++now.iterations;
  }
  for (size_t i = 0; i < points.size(); ++i) now.inertia += squared_distance(points[i], now.centres[now.labels[i]]);
  return now;
}

Points kmeans_plus_plus(const Points& points, size_t k, uint32_t attempt, const Uniform& uniform) {
  std::vector<double> distances(points.size(), 1.0);  // the first centre is drawn uniformly
  Points centres;
  for (uint32_t draw = 0; centres.size() < k; ++draw) {
    const double total = std::accumulate(distances.begin(), distances.end(), 0.0);
    double at = uniform(attempt, draw) * total;
    size_t chosen = 0;
    while (chosen + 1 < points.size() && at >= distances[chosen]) at -= distances[chosen++];
    centres.push_back(points[chosen]);
    for (size_t i = 0; i < points.size(); ++i) {
      const double distance = squared_distance(points[i], centres.back());
      distances[i] = centres.size() == 1 ? distance : std::min(distances[i], distance);
    }
  }
  return centres;
}

Clustering kmeans(const Points& points, size_t k, uint32_t restarts, const Uniform& uniform) {
  Clustering best;
  for (uint32_t attempt = 0; attempt < restarts; ++attempt) {
    Clustering one = lloyd(points, kmeans_plus_plus(points, k, attempt, uniform));
    if (attempt == 0 || one.inertia < best.inertia) best = std::move(one);
  }
  return best;
}

size_t elbow(const std::vector<double>& inertias) {
  const size_t n = inertias.size();
  const double height = n < 3 ? 0 : inertias.front() - inertias.back();
  if (height <= 0) return n;
  size_t best = n;
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n - 1);
    const double y = (inertias[i] - inertias.back()) / height;
    const double below = (1 - x) - y;  // the chord goes from (0, 1) to (1, 0)
    if (below > most) most = below, best = i + 1;
  }
  return best;
}

double silhouette(const Points& points, const std::vector<size_t>& labels) {
  const size_t clusters = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  std::vector<double> size(clusters);
  for (const size_t label : labels) ++size[label];
  if (std::count_if(size.begin(), size.end(), [](double n) { return n > 0; }) < 2)
    return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (size[labels[i]] < 2) continue;
    std::vector<double> distances(clusters);
    for (size_t j = 0; j < points.size(); ++j)
      distances[labels[j]] += std::sqrt(squared_distance(points[i], points[j]));
    const double own = distances[labels[i]] / (size[labels[i]] - 1);
    double other = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < clusters; ++c) {
      if (c != labels[i] && size[c] > 0) other = std::min(other, distances[c] / size[c]);
    }
    if (const double longer = std::max(own, other); longer > 0) sum += (other - own) / longer;
  }
  return sum / static_cast<double>(points.size());
}

}  // namespace compeer::statistics
