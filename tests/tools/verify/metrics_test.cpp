// compeer verify: scores of classifiers, agreement of annotators, correlations.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "base/error.h"
#include "base/files.h"
#include "places.h"
#include "tools/verify/verify.h"

namespace compeer::verify {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path metrics = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/metrics";

class VerifyMetrics : public testing::Test {
 protected:
  VerifyMetrics() { fs::create_directories(folder_); }
  ~VerifyMetrics() override { fs::remove_all(folder_); }

  // A copy of a reference file, changed.
  fs::path changed(const std::string& name, const std::function<void(json&)>& edit) {
    json value = json::parse(read_file(metrics / name));
    edit(value);
    write_file(folder_ / name, value.dump());
    return folder_ / name;
  }
  static std::string failed(const std::vector<Check>& checks) {
    std::string names;
    for (const auto& check : checks) names += check.passed ? "" : check.name + " ";
    return names;
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("verify_metrics_" + std::to_string(::getpid()));
};

TEST_F(VerifyMetrics, PassesReferenceFiles) {
  const auto classification = verify_classification(metrics / "classification.json", {});
  EXPECT_EQ(failed(classification), "");
  EXPECT_EQ(classification.size(), 16u);
  const auto agreement = verify_agreement(metrics / "agreement.json", {});
  EXPECT_EQ(failed(agreement), "");
  EXPECT_EQ(agreement.size(), 5u);
  EXPECT_EQ(failed(verify_correlation(metrics / "correlation.json", {})), "");
  const auto kmeans = verify_kmeans(metrics / "kmeans.json", {});
  EXPECT_EQ(failed(kmeans), "");
  EXPECT_EQ(kmeans.size(), 5u);
}

TEST_F(VerifyMetrics, KnowsFilesByTheirContent) {
  for (const auto& one : find_cases(metrics)) {
    EXPECT_EQ(one.name, one.kind + ".json");
    EXPECT_TRUE(one.checker);
  }
}

TEST_F(VerifyMetrics, FindsChangedNumbers) {
  const auto file = changed("agreement.json", [](json& g) {
    g["cohen"][1]["linear"] = 0.51077;
    g["fleiss"][0]["kappa"] = nullptr;
  });
  EXPECT_EQ(failed(verify_agreement(file, {})), "cohen, linear fleiss ");
  const auto scores = changed("classification.json", [](json& g) { g["multiclass"][2]["confusion"][0][1] = 99; });
  EXPECT_EQ(failed(verify_classification(scores, {})), "confusion ");
}

TEST_F(VerifyMetrics, NamesFilesThatAreNotWhatTheyShouldBe) {
  const auto problem = [](const fs::path& file, Checker checker) {
    try {
      checker(file, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.where() + " " + error.problem();
    }
    return std::string();
  };
  auto file = changed("agreement.json", [](json& g) { g["cohen"][0]["first"][0] = 2; });
  EXPECT_EQ(problem(file, verify_agreement),
            file.string() + " holds a label out of range, or lists of different lengths");
  file = changed("correlation.json", [](json& g) { g[0].erase("y"); });
  EXPECT_TRUE(problem(file, verify_correlation).starts_with(file.string() + " is no such reference file: "));
  file = changed("classification.json", [](json& g) { g["multiclass"][1]["truth"][0] = "Maybe"; });
  EXPECT_EQ(problem(file, verify_classification), "labels lack \"Maybe\"");
}

}  // namespace
}  // namespace compeer::verify
