#include "datasets/esc_world/world/truth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "datasets/esc_world/world/dialogue.h"
#include "rewards/esc_world_truth/sum.h"

namespace compeer::esc_world {
namespace {

Truth truth() {
  Truth truth;
  truth.seeker.subject = 0;  // the boss
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
    EXPECT_STREQ(error.what(), "record: 'hunger' is no emotion");
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
  // Two steps right, quality 0.65 graded to 0.3: 1 + 1 - 1 + 0.3 + 1
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

// Three steps that are not there, a perfect reply but for "follows" (0.85), no format: -3 + 0.7 - 1
TEST(TruthReward, MayTakeAReplyWithoutSteps) {
  TruthWeights weights;
  weights.demands_format = false;
  EXPECT_NEAR(sum(judge(truth(), reply), 1.0, weights), -3.3, 1e-12);
  weights.step = weights.format = 0;
  EXPECT_NEAR(sum(judge(truth(), "<think>hm</think>\n" + std::string(reply)), 1.0, weights), 0.7, 1e-12);
}

// Announced or not, the reply is felt alike; -1 for all steps, +1 for the format, 2 * 1 - 1 for the reply.
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
  EXPECT_DOUBLE_EQ(sum(verdict, 0.0, weights), 3.0);  // a broken reply is no better than a broken reference
}

}  // namespace
}  // namespace compeer::esc_world
