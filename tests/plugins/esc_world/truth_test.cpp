#include "datasets/esc_world/world/truth.h"

#include <ATen/ops/allclose.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "built.h"
#include "compeer/dataset.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"
#include "empathy/format.h"
#include "plugin/chat_queue.h"
#include "rewards/esc_world_truth/sum.h"

namespace compeer::esc_world {
namespace {

Truth truth() {
  Truth truth;
  truth.seeker.subject = 0;  // subject 0: the boss
  truth.seeker.stage = Stage::exploration;
  truth.seeker.emotion = Emotion::anger;
  truth.seeker.style = Style::steadiness;
  truth.seeker.intensity = 4;
  return truth;
}

std::string completion(const std::string& history, const std::string& emotion, const std::string& strategy,
                       const std::string& reply) {
  return "<history>" + history + "</history><emotion>" + emotion + "</emotion><strategy>" + strategy + "</strategy>\n" +
         reply;
}

const std::string reply = "i hear your anger. what happened with your boss? there is no rush.";
const std::string perfect = completion("work, boss, exploration stage", "negative, anger 4", "question", reply);

TEST(Truth, RecordIsReadBackExactly) {
  Truth before = truth();
  before.said = {{"act/question/0"}, {}, {"safe/0", "safe/1"}};
  before.feelings = {0.25, 0.7};
  const Truth after = truth_of(nlohmann::json::parse(to_json(before).dump()));
  EXPECT_EQ(after.seeker, before.seeker);
  EXPECT_EQ(after.said, before.said);
  EXPECT_EQ(after.feelings.habituation, 0.25);
  EXPECT_EQ(after.feelings.safe_quality, 0.7);
}

TEST(Truth, RecordNamesLabelsForPeople) {
  const nlohmann::json record = to_json(truth());
  EXPECT_EQ(record.at("stage"), "exploration");
  EXPECT_EQ(record.at("sentiment"), "negative");
  EXPECT_EQ(record.at("problem"), "work");
  EXPECT_EQ(record.at("subject"), "boss");
  EXPECT_EQ(record.at("strategies"), (std::vector<std::string>{"reflection", "question", "restatement"}));
}

TEST(Truth, AForeignRecordIsRefused) {
  EXPECT_THROW(truth_of(nlohmann::json::object()), Error);
  nlohmann::json record = to_json(truth());
  record["emotion"] = "hunger";
  try {
    truth_of(record);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "record: 'hunger' is not a valid emotion");
  }
}

TEST(Judge, APerfectCompletionIsTrueThroughout) {
  const Verdict verdict = judge(truth(), perfect);
  EXPECT_TRUE(verdict.history && verdict.emotion && verdict.strategy && verdict.format && verdict.grammatical);
  EXPECT_EQ(verdict.follows, true);
  EXPECT_DOUBLE_EQ(verdict.quality, 1.0);
  EXPECT_DOUBLE_EQ(verdict.felt, 1.0);
}

TEST(Judge, ReadsLabelsWhateverTheWording) {
  const Verdict verdict = judge(
      truth(), completion("They tell me about their boss: still Exploring.", "anger of 5 out of five, clearly negative",
                          "so i will use Reflection of feelings now", reply));
  EXPECT_TRUE(verdict.history && verdict.emotion && verdict.strategy);
  EXPECT_EQ(verdict.follows, false) << "a question, though reflection was announced";
  EXPECT_DOUBLE_EQ(verdict.quality, 0.85);
  EXPECT_DOUBLE_EQ(verdict.felt, 1.0) << "the seeker hears nothing of what was announced";
}

TEST(Judge, AStepIsFalseIfItNamesNoLabelOrTwo) {
  EXPECT_FALSE(judge(truth(), completion("boss", "anger", "ask", reply)).history);
  EXPECT_FALSE(
      judge(truth(), completion("exploration or action", "negative, anger or hope 4", "question", reply)).history);
  EXPECT_FALSE(judge(truth(), completion("exploration", "negative, anger or hope 4", "question", reply)).emotion);
  EXPECT_FALSE(judge(truth(), completion("exploration", "negative, anger 4", "question, suggestion", reply)).strategy);
}

TEST(Judge, HistoryMustNotNameAnotherMatter) {
  EXPECT_TRUE(judge(truth(), completion("exploration", "e", "s", reply)).history);
  EXPECT_FALSE(judge(truth(), completion("work, team, exploration", "e", "s", reply)).history);
  EXPECT_FALSE(judge(truth(), completion("family, boss, exploration", "e", "s", reply)).history);
  EXPECT_TRUE(judge(truth(), completion("homework for the boss, exploration", "e", "s", reply)).history);
}

TEST(Judge, EmotionNeedsSentimentAndNearlyTheIntensity) {
  const auto right = [](const std::string& step) { return judge(truth(), completion("h", step, "s", reply)).emotion; };
  EXPECT_TRUE(right("negative, anger 3"));
  EXPECT_TRUE(right("negative, anger 5"));
  EXPECT_FALSE(right("negative, anger 2"));
  EXPECT_FALSE(right("anger 4"));
  EXPECT_FALSE(right("negative, anger"));
  EXPECT_FALSE(right("positive, anger 4"));
  EXPECT_FALSE(right("negative, sadness 4"));
}

TEST(Judge, BrokenFormatIsStillJudgedInItsParts) {
  const Verdict verdict = judge(truth(), "<emotion>negative, anger 4</emotion> what happened with your boss?");
  EXPECT_TRUE(verdict.emotion);
  EXPECT_FALSE(verdict.history || verdict.strategy || verdict.format);
  EXPECT_TRUE(verdict.grammatical);
  EXPECT_DOUBLE_EQ(verdict.quality, (1 - 0.15 - 0.75 * 0.2 - 0.05) * 0.85);
}

TEST(Judge, AnUnknownReplyHasNoQuality) {
  const Verdict verdict = judge(truth(), completion("exploration", "negative, anger 4", "question", "what with boss"));
  EXPECT_TRUE(verdict.history && verdict.format);
  EXPECT_FALSE(verdict.grammatical || verdict.follows.has_value());
  EXPECT_EQ(verdict.quality, 0.0);
  EXPECT_EQ(verdict.felt, 0.0);
}

TEST(TruthReward, SumsLikeUnifiReward) {
  const TruthWeights weights;
  EXPECT_DOUBLE_EQ(sum(judge(truth(), perfect), 1.0, weights), 5.0);
  // Two steps right, quality 0.65 graded as 0.3: 1 + 1 - 1 + 0.3 + 1
  const std::string advice = completion("exploration", "negative, anger 4", "suggestion",
                                        "i hear your anger. you might plan one hour for your boss. there is no rush.");
  EXPECT_NEAR(sum(judge(truth(), advice), 1.0, weights), 2.3, 1e-12);
}

TEST(TruthReward, ACompletionWithoutStepsGetsTheMinimum) {
  EXPECT_DOUBLE_EQ(sum(judge(truth(), reply), 1.0, {}), -5.0);
  EXPECT_DOUBLE_EQ(sum(judge(truth(), ""), 1.0, {}), -5.0);
  TruthWeights weights;
  weights.step = 2, weights.reply = 3, weights.format = 0.5;
  EXPECT_DOUBLE_EQ(sum(judge(truth(), reply), 1.0, weights), -9.5);
  weights.broken_format = -1.0;
  EXPECT_DOUBLE_EQ(sum(judge(truth(), reply), 1.0, weights), -1.0);
}

// Three missing steps, a reply that is perfect except that no strategy was announced (0.85), no format: -3 + 0.7 - 1
TEST(TruthReward, MayTakeAReplyWithoutSteps) {
  TruthWeights weights;
  weights.demands_format = false;
  EXPECT_NEAR(sum(judge(truth(), reply), 1.0, weights), -3.3, 1e-12);
  weights.step = weights.format = 0;
  EXPECT_NEAR(sum(judge(truth(), "<think>hm</think>\n" + std::string(reply)), 1.0, weights), 0.7, 1e-12);
}

// The felt quality does not depend on the announced strategy; -1 for all steps, +1 for the format, 2 * 1 - 1 for the
// reply.
TEST(TruthReward, MayGradeAReplyAsItIsFelt) {
  TruthWeights weights;
  weights.grade = TruthWeights::Grade::felt;
  EXPECT_DOUBLE_EQ(sum(judge(truth(), completion("x", "x", "x", reply)), 1.0, weights), -1.0);
  EXPECT_DOUBLE_EQ(sum(judge(truth(), completion("x", "x", "question", reply)), 1.0, weights), 1.0);
}

TEST(TruthReward, BreakingTheFormatNeverPays) {
  const std::string worst = completion("x", "x", "x", "x");
  EXPECT_DOUBLE_EQ(sum(judge(truth(), worst), 1.0, {}), -3.0);
  EXPECT_LT(sum(judge(truth(), "x"), 1.0, {}), sum(judge(truth(), worst), 1.0, {}));
}

TEST(TruthReward, PreferenceComparesWithTheReference) {
  TruthWeights weights;
  weights.grade = TruthWeights::Grade::preference;
  Verdict verdict = judge(truth(), perfect);
  verdict.quality = 0.80;
  EXPECT_DOUBLE_EQ(sum(verdict, 0.86, weights), 5.0);  // within the tie band
  EXPECT_DOUBLE_EQ(sum(verdict, 0.90, weights), 3.0);
  verdict.quality = 0, verdict.grammatical = false;
  EXPECT_DOUBLE_EQ(sum(verdict, 0.0, weights), 3.0);  // both are ungrammatical
}

}  // namespace
}  // namespace compeer::esc_world

namespace compeer {
namespace {

Example example(const nlohmann::json& settings = nlohmann::json::object(), int64_t index = 7) {
  auto dataset = built::open<Dataset>("esc_world", settings);
  return dataset.call("get", [&](Dataset& d) { return d.get("train", index); });
}

TEST(EscWorldDataset, GivesTheWorldsSamples) {
  const Example got = example();
  const esc_world::WorldSample expected = esc_world::sample(esc_world::default_world(), "train", 7);
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
  const auto expected = esc_world::scenario(esc_world::default_world(), "train", 7);
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
  plugin::ChatQueue(chat, nullptr).answer({{.turns = {{"user", "Who are you?"}}}}, [&](size_t, const ChatReply& reply) {
    failure = reply.failure;
  });
  EXPECT_NE(failure.find("other than the defaults, repeat them in 'world', as in world = { test = 600 }"),
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
  // Without step 3, `graded` lacks the 0.15 for following the strategy; `felt`, which is 1 / 0.85 times as large, does
  // not.
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
