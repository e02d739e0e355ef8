#include "../built.h"
#include "compeer/stage.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"
#include "empathy/labels.h"

namespace compeer {
namespace {

using esc_world::played;
using nlohmann::json;

class WorldTruth : public testing::Test {
 protected:
  // Returns dialogue `index` of the split test with these replies, where the first reply has the right steps.
  json dialogue(uint32_t index, const std::vector<std::string>& replies) const {
    const auto rounds = played(esc_world::default_world(), "test", index, replies);
    json turns = json::array();
    for (size_t i = 0; i < replies.size(); ++i) {
      turns.push_back({{"role", "user"}, {"text", rounds[i].utterance}});
      turns.push_back({{"role", "assistant"}, {"text", replies[i]}});
    }
    const json truth = to_json(rounds[0].truth);
    const auto emotion = truth.at("sentiment").get<std::string>() + ", " + truth.at("emotion").get<std::string>();
    turns[1]["steps"] = {{"history", truth.at("stage")},
                         {"emotion", emotion + " " + truth.at("intensity").dump()},
                         {"strategy", "no idea"}};
    return {{"id", "esc_world/test/" + std::to_string(index)}, {"turns", turns}};
  }

  std::vector<Outcome> make(const std::vector<json>& records) {
    auto outcomes = plugin::make(stage, records);
    for (const auto& outcome : outcomes) {
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
    return outcomes;
  }

  plugin::Plugin<Stage> stage = built::open<Stage>("world_truth", {{"resamples", 50}});
  std::map<std::string, double> counts;
};

TEST_F(WorldTruth, StandsBesideEachReply) {
  const std::string comfort = "i am here for you. you are not alone.";
  const auto rounds = played(esc_world::default_world(), "test", 3, {comfort, comfort, "potato."});
  const auto outcomes = make({dialogue(3, {comfort, comfort, "potato."})});
  const json& truth = outcomes.at(0).records.at(0).at("truth");
  ASSERT_EQ(truth.size(), 3u);
  EXPECT_EQ(truth[0], (json{{"quality", 0.67},
                            {"unhabituated", 0.67},
                            {"grammatical", true},
                            {"history", true},
                            {"emotion", true},
                            {"strategy", false}}))
      << "generic comfort has no act that could follow";
  // The same strategy and both sentences: 3/2 repeats.
  EXPECT_NEAR(truth[1].at("quality").get<double>(), truth[1].at("unhabituated").get<double>() * 0.585662018573853,
              1e-12);
  EXPECT_FALSE(truth[1].contains("history"));
  EXPECT_EQ(truth[2], (json{{"quality", 0.0}, {"unhabituated", 0.0}, {"grammatical", false}}));
}

TEST_F(WorldTruth, SaysOfAReplyWithAnActWhetherItFollows) {
  const std::string question = "i hear you. can you tell me more about this?";
  json asks = dialogue(3, {question}), other = dialogue(4, {question});
  asks["turns"][1]["steps"]["strategy"] = "question";
  const auto outcomes = make({asks, other});
  EXPECT_EQ(outcomes.at(0).records.at(0).at("truth")[0].at("follows"), true);
  EXPECT_EQ(outcomes.at(1).records.at(0).at("truth")[0].at("follows"), false) << "of no idea";
  const json found = stage.call("findings", [&](Stage& s) { return s.findings(counts); });
  EXPECT_EQ(found.at("follows").at("n"), 2);
}

TEST_F(WorldTruth, IsSummedUpOverRepliesAndRounds) {
  const std::string comfort = "i am here for you. you are not alone.";
  make({dialogue(3, {comfort, "potato."}), dialogue(4, {"potato."}), dialogue(5, {comfort})});
  const json found = stage.call("findings", [&](Stage& s) { return s.findings(counts); });
  EXPECT_EQ(found.at("n"), 3);
  EXPECT_NEAR(found.at("quality").at("value").get<double>(), 0.67 / 2, 1e-12);
  EXPECT_EQ(found.at("quality").at("n"), 4);
  EXPECT_EQ(found.at("grammatical").at("value"), 0.5);
  EXPECT_EQ(found.at("history").at("value"), 1);
  EXPECT_EQ(found.at("strategy").at("value"), 0);
  EXPECT_EQ(found.at("strategy").at("n"), 3) << "replies with steps";
  ASSERT_EQ(found.at("curves").at("quality").size(), 2u);
  EXPECT_NEAR(found.at("curves").at("quality")[0].at("value").get<double>(), 2 * 0.67 / 3, 1e-12);
  EXPECT_EQ(found.at("curves").at("quality")[0].at("n"), 3);
  EXPECT_EQ(found.at("curves").at("quality")[1].at("value"), 0);
  EXPECT_EQ(found.at("better"), (json{{"higher", found.at("columns")}}));
  EXPECT_EQ(found.at("columns"),
            (json{"quality", "unhabituated", "history", "emotion", "strategy", "follows", "grammatical"}));
}

TEST_F(WorldTruth, SaysWhyThereIsNone) {
  json other = dialogue(3, {"potato."});
  other["turns"][0]["text"] = "hello?";
  const auto outcomes = make(
      {{{"id", "0"}}, {{"id", "esc_world/test/3"}}, other, {{"id", "esc_world/dev/3"}, {"turns", other["turns"]}}});
  EXPECT_EQ(outcomes[0].dropped, "not of esc_world");
  EXPECT_EQ(outcomes[1].dropped, "no dialogue");
  EXPECT_EQ(outcomes[2].dropped, "another dialogue in this world");
  EXPECT_EQ(outcomes[3].dropped, "not of esc_world");
  other["turns"][0] = "hello?";
  EXPECT_EQ(make({other})[0].dropped, "a turn without a role or a text");
  other["turns"] = {{{"role", "user"}, {"text", "hello?"}}};
  EXPECT_EQ(make({other})[0].dropped, "nobody answers the seeker");
  const json found = stage.call("findings", [&](Stage& s) { return s.findings(counts); });
  EXPECT_EQ(found.at("n"), 0);
  EXPECT_TRUE(found.at("quality").at("value").is_null());
}

}  // namespace
}  // namespace compeer
