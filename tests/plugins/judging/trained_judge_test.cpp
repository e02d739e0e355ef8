#include "judging/trained_judge.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace compeer::judging {
namespace {

using nlohmann::json;

class Floor : public testing::Test {
 protected:
  Floor() {
    std::filesystem::create_directories(judge_);
    std::filesystem::create_directories(run_);
    weights("some weights");
    measured(0.8, 0.45, 0.6);
  }
  void weights(const std::string& text) { std::ofstream(judge_ / "model.safetensors") << text; }
  void measured(double history, double emotion, double strategy) {
    const auto recall = [](double value) { return json({{"false_recall", {{"value", value}}}}); };
    const json findings = {{"judges", {weights_of(judge_.string())}},
                           {"history", recall(history)},
                           {"emotion", recall(emotion)},
                           {"strategy", recall(strategy)}};
    std::ofstream(run_ / "summary.json") << json(
        {{"details", {{"stages", {{{"findings", json::object()}}, {{"findings", findings}}}}}}});
  }
  void hold(double floor) { hold_to_floor(run_.string(), judge_.string(), weights_of(judge_.string()), floor); }

  const std::filesystem::path base_ = std::filesystem::path(testing::TempDir()) / "floor", judge_ = base_ / "judge",
                              run_ = base_ / "accuracy";
};

TEST_F(Floor, RefusesAJudgeThatMissesTooManyMistakesOfOneStep) {
  EXPECT_NO_THROW(hold(0.45));
  try {
    hold(0.5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "recall of wrong 'emotion' steps is 0.45, below least_recall = 0.50 (measured by " + run_.string() + ")");
    EXPECT_EQ(error.exit(), Exit::spec);
  }
}

TEST_F(Floor, RefusesAJudgeThatWasTaughtSinceItWasMeasured) {
  weights("other weights");
  try {
    hold(0.1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has no accuracy of the judge " + judge_.string());
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST_F(Floor, AFolderWithoutWeightsIsNoJudge) {
  std::filesystem::remove(judge_ / "model.safetensors");
  EXPECT_THROW(hold(0), Error);
}

TEST_F(Floor, NamesAFileThatIsNoSummary) {
  const auto file = (run_ / "summary.json").string();
  const auto said = [&](const std::string& text) {
    std::ofstream(file) << text;
    try {
      hold(0.1);
    } catch (const Error& error) {
      return error.where() + ": " + error.problem();
    }
    return std::string("nothing");
  };
  const auto none = file + ": has no accuracy of the judge " + judge_.string();
  EXPECT_EQ(said("{\"details").find(file + ": is not valid JSON"), 0u) << said("{\"details");
  EXPECT_EQ(said("[1]"), file + ": is not a JSON object");
  EXPECT_EQ(said("{\"details\": 7}"), none);
  EXPECT_EQ(said("{\"details\": {\"stages\": [7, {\"findings\": 7}, {\"findings\": {\"judges\": 7}}]}}"), none);
}

}  // namespace
}  // namespace compeer::judging
