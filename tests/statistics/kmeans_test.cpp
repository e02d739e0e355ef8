#include "statistics/kmeans.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "places.h"

namespace compeer::statistics {
namespace {

using nlohmann::json;

TEST(KMeans, FindsWhatTheReferenceFinds) {
  std::ifstream file(COMPEER_SOURCE_DIR "/tests/golden/metrics/kmeans.json");
  const json golden = json::parse(file);
  const auto points = golden.at("points").get<Points>();
  for (const json& run : golden.at("runs")) {
    const auto found = lloyd(points, run.at("init").get<Points>());
    const auto k = run.at("k").get<int>();
    EXPECT_EQ(found.labels, run.at("labels").get<std::vector<size_t>>()) << k;
    EXPECT_EQ(found.iterations, run.at("iterations").get<int64_t>()) << k;
    EXPECT_NEAR(found.inertia, run.at("inertia").get<double>(), 1e-9 * found.inertia) << k;
    const auto centres = run.at("centres").get<Points>();
    for (size_t c = 0; c < centres.size(); ++c) {
      for (size_t d = 0; d < centres[c].size(); ++d) EXPECT_NEAR(found.centres[c][d], centres[c][d], 1e-12);
    }
  }
}

double uniform_of(uint32_t attempt, uint32_t draw) { return uniform(7, Stream::plugin, attempt, draw); }

// Four well apart groups of three.
Points groups() {
  Points points;
  for (double x : {0.0, 100.0}) {
    for (double y : {0.0, 100.0}) {
      for (double shift : {0.0, 1.0, 2.0}) points.push_back({x + shift, y});
    }
  }
  return points;
}

TEST(KMeans, FindsGroupsThatAreApartAndTheirElbow) {
  std::vector<double> inertias;
  for (size_t k = 1; k <= 8; ++k) inertias.push_back(kmeans(groups(), k, 20, uniform_of).inertia);
  EXPECT_DOUBLE_EQ(inertias[3], 8);  // each group: 1 + 0 + 1
  EXPECT_EQ(elbow(inertias), 4u);
  const auto four = kmeans(groups(), 4, 20, uniform_of);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(four.labels[i], four.labels[i / 3 * 3]);
}

TEST(KMeans, OneGroupForEachPointHasNoError) { EXPECT_EQ(kmeans(groups(), 12, 3, uniform_of).inertia, 0); }

TEST(KMeans, EqualPointsDoNotTroubleIt) {
  const Points same(5, {1.0, 2.0});
  const auto found = kmeans(same, 3, 2, uniform_of);
  EXPECT_EQ(found.inertia, 0);
  EXPECT_EQ(found.centres.size(), 3u);
}

TEST(KMeans, ACentreWithoutPointsMovesToTheFarthestPoint) {
  const Points line = {{0}, {1}, {2}, {50}};
  const auto found = lloyd(line, {{1}, {1000}});
  EXPECT_EQ(found.labels, (std::vector<size_t>{0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(found.inertia, 2);
}

TEST(KMeans, FirstCentreIsAnyPointAndTheOthersAreFarFromIt) {
  // From {0, 0, 10}: with a first centre at 0 the second is at 10 for certain, for the others have distance 0.
  const Points points = {{0}, {0}, {10}};
  for (uint32_t attempt = 0; attempt < 50; ++attempt) {
    const auto centres = spread_centres(points, 2, attempt, uniform_of);
    EXPECT_NE(centres[0], centres[1]);
  }
}

TEST(Elbow, IsThePointFarthestBelowTheChord) {
  // Scaled: (0, 1), (1/3, .2), (2/3, .1), (1, 0): below the chord by 0, 7/15, 7/30, 0.
  EXPECT_EQ(elbow({11, 3, 2, 1}), 2u);
  EXPECT_EQ(elbow({3, 2, 1}), 3u) << "a straight line has none";
  EXPECT_EQ(elbow({5, 1}), 2u);
  EXPECT_EQ(elbow({5}), 1u);
  EXPECT_EQ(elbow({0, 0, 0}), 3u);
}

}  // namespace
}  // namespace compeer::statistics
