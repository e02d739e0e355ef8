// With the small encoder of tests/golden/bert, whose vectors distinguish texts, but have no meaning.
#include <fstream>

#include "../built.h"
#include "places.h"

namespace compeer {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class EncoderBaseline : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ofstream out(folder_ / "records.jsonl");
    for (int i = 0; i < 20; ++i) out << round(i, "train").dump() << "\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A user who says "the first" is sad, and is asked a question; one who says "another one" is angry, and gets
  // information. The right answer is "yes".
  static json round(int number, const std::string& split) {
    const bool sad = number % 2 == 0;
    return {{"id", split + std::to_string(number)},
            {"split", split},
            {"history", {{{"role", "user"}, {"text", sad ? "the first" : "another one"}}}},
            {"reference", "never"},
            {"candidates", {{{"history", "h"}, {"emotion", "e"}, {"strategy", "s"}, {"reply", "yes"}}}},
            {"steps", {{true, true, true}}},
            {"preference", "second"},
            {"people", {{"emotion", {sad ? "sadness" : "anger"}}, {"strategy", {sad ? "question" : "information"}}}}};
  }

  plugin::Plugin<Stage> open() {
    return built::open<Stage>("encoder_baseline", {{"encoder", std::string(COMPEER_SOURCE_DIR) + "/tests/golden/bert"},
                                                   {"records", (folder_ / "records.jsonl").string()},
                                                   {"resamples", 0}});
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "encoder_baseline";
};

TEST_F(EncoderBaseline, LearnsLabelsAndRepliesFromTrainingRecords) {
  auto stage = open();
  std::vector<json> tested = {round(0, "test"), round(1, "test"), round(3, "test")};
  tested[2]["people"]["ratings"] = {-4, -3};
  for (const json& one : tested) stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto outcomes = plugin::make(stage, tested);
  EXPECT_EQ(outcomes[0].records.at(0).at("judged").dump(), R"({"emotion":"sadness","strategy":"question"})");
  EXPECT_EQ(outcomes[1].records.at(0).at("judged").at("emotion"), "anger");
  EXPECT_GT(outcomes[2].records.at(0).at("judged").at("better"), 1) << "than the reference";
  const auto found = built::findings(stage, outcomes);
  EXPECT_EQ(found.at("emotion").at("accuracy").at("value"), 1);
  EXPECT_EQ(found.at("replies").at("judge").at("same_side").at("value"), 0) << "people rated it the other way round";
}

TEST_F(EncoderBaseline, SaysWhatItCantLearnFromAndWhatItDrops) {
  auto wrong = round(0, "test");
  wrong["steps"] = {{true, false, true}};
  auto stage = open();
  EXPECT_EQ(plugin::make(stage, {wrong})[0].dropped, "neither labels nor a rating by people");
  std::ofstream(folder_ / "records.jsonl") << wrong.dump() << "\n";
  auto empty = open();
  try {
    plugin::make(empty, {wrong});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("contains no record of the stage human_labels in the split train"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace compeer
