#include <ATen/ops/allclose.h>

#include "built.h"
#include "compeer/dataset.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"
#include "empathy/format.h"
#include "plugin/chat_line.h"

namespace compeer {
namespace {

Example example(const nlohmann::json& settings = nlohmann::json::object(), int64_t index = 7) {
  auto dataset = built::open<Dataset>("esc_world", settings);
  return dataset.call("get", [&](Dataset& d) { return d.get("train", index); });
}

TEST(EscWorldDataset, GivesTheWorldsSamples) {
  const Example got = example();
  const esc_world::WorldSample expected = esc_world::sample(esc_world::usual(), "train", 7);
  EXPECT_EQ(got.id, expected.id);
  EXPECT_EQ(got.answer, expected.answer);
  EXPECT_EQ(got.record, expected.record);
  ASSERT_EQ(got.history.size(), expected.history.size());
  for (size_t i = 0; i < got.history.size(); ++i) {
    EXPECT_EQ(got.history[i].role, expected.history[i].role);
    EXPECT_EQ(got.history[i].text, expected.history[i].text);
  }
}

TEST(EscWorldDataset, OfScenariosSaysWhoIsToBePlayed) {
  const Example got = example({{"unit", "scenario"}});
  const auto expected = esc_world::scenario(esc_world::usual(), "train", 7);
  EXPECT_EQ(got.id, "esc_world/train/000007");
  EXPECT_TRUE(got.history.empty());
  EXPECT_EQ(got.record, (nlohmann::json{{"source", "esc_world"},
                                        {"language", "en"},
                                        {"category", expected.problem},
                                        {"main_cha", expected.style},
                                        {"card", expected.card},
                                        {"player", expected.player},
                                        {"scene", expected.scene},
                                        {"task", expected.task},
                                        {"first_talk", expected.first_talk}}));
}

TEST(EscWorldDataset, SplitsHaveTheirSizes) {
  auto dataset = built::open<Dataset>("esc_world", {{"valid", 3}});
  const auto size = [&](const std::string& split) {
    return dataset.call("size", [&](Dataset& d) { return d.size(split); });
  };
  EXPECT_EQ(size("train"), 20000);
  EXPECT_EQ(size("valid"), 3);
  EXPECT_EQ(size("test"), 500);
  EXPECT_EQ(size("dev"), 0);
}

TEST(EscWorldChat, SaysWhomItAnswersAndWhereTheirWorldIsSet) {
  auto chat = built::open<ChatModel>("esc_world");
  std::string failure;
  plugin::ChatLine(chat, nullptr).answer({{.turns = {{"user", "Who are you?"}}}}, [&](size_t, const ChatReply& reply) {
    failure = reply.failure;
  });
  EXPECT_NE(failure.find("that are not the defaults belong in 'world' here too, as in world = { test = 600 }"),
            std::string::npos)
      << failure;
}

TEST(EscWorldTruth, GivesAnExpertNearlyFive) {
  auto reward = built::open<Reward>("esc_world_truth");
  const auto names = plugin::columns(reward);
  EXPECT_EQ(names, (std::vector<std::string>{"reward", "history", "emotion", "strategy", "quality", "format",
                                             "grammatical", "follows"}));
  for (int64_t index = 0; index < 50; ++index) {
    const Example one = example({{"writer", "expert"}}, index);
    const auto row = built::values(plugin::score(reward, {one, built::completions({one.answer}, 40)}, names));
    EXPECT_GE(row[0], 4.88) << one.answer;
    EXPECT_NEAR(row[0], 3 + 2 * row[4] - 1 + 1, 1e-5);
    EXPECT_EQ((std::vector<double>{row[1], row[2], row[3], row[5], row[6]}), (std::vector<double>(5, 1.0)));
  }
}

TEST(EscWorldTruth, CutOffOrWithoutStepsGetsTheMinimum) {
  auto reward = built::open<Reward>("esc_world_truth");
  const auto names = plugin::columns(reward);
  const Example one = example();
  const std::vector<Completion> completions{{one.answer, 40, false}, {"i hear you. you are not alone.", 9, true}};
  const auto scores = built::values(plugin::score(reward, {one, completions}, names));
  EXPECT_EQ(scores[0], -5.0);
  EXPECT_EQ(scores[names.size()], -5.0);
  EXPECT_EQ(scores[names.size() + 6], 1.0) << "its reply is grammatical all the same";
}

TEST(EscWorldTruth, ReadsItsSettings) {
  const Example one = example({{"writer", "expert"}});
  const auto first = [&](const nlohmann::json& settings, const std::string& text) {
    auto reward = built::open<Reward>("esc_world_truth", settings);
    return built::values(plugin::score(reward, {one, built::completions({text})}, plugin::columns(reward)))[0];
  };
  EXPECT_EQ(first({{"broken_format", -1.5}}, "no steps"), -1.5);
  EXPECT_EQ(first({{"step_weight", 2.0}, {"reply_weight", 0.0}, {"format_weight", 0.5}}, one.answer), 6.5);
  EXPECT_EQ(first({{"reply", "preference"}}, one.answer), 5.0) << "as good as the reference, which it is";
  // Without step 3, graded misses the 0.15 for following it, and felt, which is 1 / 0.85 times as much, doesn't.
  nlohmann::json reply_alone = {{"step_weight", 0.0}, {"format_weight", 0.0}, {"demands_format", false}};
  const std::string reply = empathy::reply_of(one.answer);
  const double graded = first(reply_alone, reply);
  reply_alone["reply"] = "felt";
  EXPECT_NEAR((first(reply_alone, reply) + 1) * 0.85, graded + 1, 1e-6);
}

TEST(EscWorldTruth, SaysWhatIsWrongWithARecordOfAnotherDataset) {
  auto reward = built::open<Reward>("esc_world_truth");
  Example foreign;
  foreign.record = {{"label", "joy"}};
  try {
    plugin::score(reward, {foreign, built::completions({"a"})}, plugin::columns(reward));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_NE(std::string(error.what()).find("rewards/esc_world_truth"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("not one of esc_world"), std::string::npos) << error.what();
  }
}

TEST(EscWorldTruth, FallsOverNoText) {
  auto reward = built::open<Reward>("esc_world_truth");
  const auto names = plugin::columns(reward);
  const Example one = example();
  const auto all = built::completions(built::odd_texts(), 7);
  const auto first = plugin::score(reward, {one, all}, names), again = plugin::score(reward, {one, all}, names);
  for (const auto& [name, column] : first.columns()) {
    for (size_t i = 0; i < column.size(); ++i) {
      const double second = again.at(name)[i];
      EXPECT_TRUE(second == column[i] || (std::isnan(second) && std::isnan(column[i]))) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace compeer
