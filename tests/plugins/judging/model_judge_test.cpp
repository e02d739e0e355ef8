#include "judging/model_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "judging/trained_judge.h"
#include "language_model.h"
#include "places.h"

namespace compeer::judging {
namespace {

using empathy::Preference;

const std::vector<Turn> history_turns = {{"user", "i am sad"}};

JudgeFormat bare() {
  return JudgeFormat(Settings({{"prompts", nullptr},
                               {"step_words", {"True", "False"}},
                               {"preference_words", {"first", "second", "both good", "neither"}}}));
}

JudgeInput all_parts(const std::string& emotion = "sadness") {
  return {StepTexts{"early", emotion, "question"}, InterpretedReply{"why?"}};
}

std::vector<Verdicts> ask(const ModelJudge& judge, const std::vector<JudgeInput>& cases,
                          const InterpretedReply& reference = {"r"}, const StepTexts& reading = {}) {
  const JudgedGroup group{history_turns, reference, cases, reading};
  return judge.judge({&group, 1}).at(0);
}

std::vector<Verdicts> judged(LanguageModel& model, Scope scope, JudgeDecoding hearing,
                             const InterpretedReply& reference, const std::vector<JudgeInput>& cases,
                             const StepTexts& reading = {}) {
  return ask(ModelJudge(model, Questions(bare(), scope, hearing)), cases, reference, reading);
}

std::string yes(const std::string&, const std::string& question, uint32_t) {
  return question.starts_with("<") ? "True" : "second";
}

TEST(ModelJudge, AsksFourQuestionsEachOfWhichSeesTheVerdictsBeforeIt) {
  Scripted language_model([](const std::string&, const std::string& question, uint32_t) {
    return question.starts_with("<emotion>") ? "False" : question.starts_with("<") ? "True" : "both good";
  });
  const auto opinion = judged(language_model, {}, {}, {"tell me more"}, {all_parts()})[0];
  EXPECT_EQ(opinion.steps[0], 1.0);
  EXPECT_EQ(opinion.steps[1], -1.0);
  EXPECT_EQ(opinion.steps[2], 1.0);
  EXPECT_EQ(opinion.preference, Preference::both);
  EXPECT_EQ(opinion.reply, 1.0);
  ASSERT_EQ(language_model.asked.size(), 4u);
  EXPECT_EQ(language_model.asked[3],
            "user: i am sad\n? <history>early</history>\n= True\n? <emotion>sadness</emotion>\n= False\n"
            "? <strategy>question</strategy>\n= True\n? tell me more\nwhy?");
}

TEST(ModelJudge, SeesTheReadingBehindEachStepAndAllOfItBeforeTheReplies) {
  Scripted language_model(yes);
  judged(language_model, {.separate = true}, {}, {"r"}, {all_parts()}, {"late", std::nullopt, "question"});
  EXPECT_EQ(language_model.asked[0], "user: i am sad\n? <history>early</history><history>late</history>");
  EXPECT_EQ(language_model.asked[1], "user: i am sad\n? <emotion>sadness</emotion>");
  EXPECT_EQ(language_model.asked[2], "user: i am sad\n? <strategy>question</strategy><strategy>same</strategy>");
  EXPECT_EQ(language_model.asked[3], "user: i am sad\n? <history>late</history><strategy>question</strategy>r\nwhy?");
}

TEST(ModelJudge, SeesBehindTheRepliesWhatEachDoes) {
  Scripted language_model(yes);
  auto one = all_parts();
  one.reply.reading.steps = {std::nullopt, "anger", "plan"};
  const InterpretedReply reference{"r", {{"late", std::nullopt, "advice"}, -1.0}};
  judged(language_model, {.steps = false}, {}, reference, {one}, {std::nullopt, std::nullopt, "plan"});
  EXPECT_EQ(language_model.asked.at(0),
            "user: i am sad\n? <strategy>plan</strategy>r\nwhy?\n"
            "<history>late</history><strategy>advice</strategy>\n<emotion>anger</emotion><strategy>same</strategy>");
}

TEST(ModelJudge, SeesWhichReplyTheReaderWouldHardlyHaveSaid) {
  Scripted language_model(yes);
  auto one = all_parts();
  one.reply.reading = {{std::nullopt, "anger", std::nullopt}, -6.5};
  judged(language_model, {.steps = false}, {}, {"r", {{}, -5.5}}, {one});
  EXPECT_EQ(language_model.asked.at(0), "user: i am sad\n? r\nwhy?\n\n<emotion>anger</emotion>unclear");
}

// A reply shows an emotion, but not its strength; a reply that shows none agrees with no reading.
TEST(ModelJudge, SeesThatAReplyDoesWhatTheReadingSaysAsFarAsItCanBeTold) {
  Scripted language_model(yes);
  auto one = all_parts();
  one.reply.reading.steps = {"", "negative, anger", "plan"};
  const InterpretedReply reference{"r", {{"team, work", "anger 4", "plan advice"}, {}}};
  judged(language_model, {.steps = false}, {}, reference, {one}, {"work, team, early", "negative, anger 4", "plan"});
  EXPECT_EQ(language_model.asked.at(0),
            "user: i am sad\n? <history>work, team, early</history><emotion>negative, anger 4</emotion>"
            "<strategy>plan</strategy>r\nwhy?\n"
            "<history>team, work</history><emotion>same</emotion><strategy>plan advice</strategy>\n"
            "<history></history><emotion>same</emotion><strategy>same</strategy>");
}

TEST(ModelJudge, ReadsTheContextOnceForAGroup) {
  Scripted language_model(yes);
  const auto opinions = judged(language_model, {}, {}, {"r"}, {all_parts(), all_parts("anger"), {}});
  EXPECT_EQ(language_model.begun, 1);
  EXPECT_EQ(language_model.asked.size(), 8u) << "nothing of a completion without parts";
  EXPECT_FALSE(opinions[2].reply || opinions[2].steps[0]);
}

TEST(ModelJudge, AsksNothingAboutAStepThatIsMissing) {
  Scripted language_model(yes);
  const JudgeInput gap{StepTexts{"early", std::nullopt, "question"}, InterpretedReply{""}};
  const auto opinion = judged(language_model, {}, {}, {"r"}, {gap})[0];
  EXPECT_EQ(language_model.asked.size(), 2u);
  EXPECT_TRUE(opinion.steps[0] && opinion.steps[2]);
  EXPECT_FALSE(opinion.steps[1] || opinion.reply);
}

TEST(ModelJudge, ApartKnowsNothingOfOtherVerdicts) {
  Scripted language_model(yes);
  judged(language_model, {.separate = true}, {}, {"r"}, {all_parts()});
  EXPECT_EQ(language_model.asked[2], "user: i am sad\n? <strategy>question</strategy>");
}

TEST(ModelJudge, UndoesTheSwapOfTheReplies) {
  Scripted language_model([](const std::string&, const std::string& question, uint32_t) {
    return question.starts_with("<") ? "True" : question.starts_with("why?\n") ? "first" : "second";
  });
  const auto opinion = judged(language_model, {}, {.swap = true}, {"r"}, {all_parts()})[0];
  EXPECT_EQ(opinion.preference, Preference::second) << "the completion, which stood first";
  EXPECT_EQ(opinion.reply, 1.0);
}

TEST(ModelJudge, CountsWhatItCanNotReadAndDoesNotGuess) {
  Scripted language_model([](const std::string&, const std::string& question, uint32_t) {
    return question.starts_with("<history>") ? "maybe" : question.starts_with("<") ? "False" : "the first, I think";
  });
  const auto opinion = judged(language_model, {}, {}, {"r"}, {all_parts()})[0];
  EXPECT_FALSE(opinion.steps[0] || opinion.reply || opinion.preference);
  EXPECT_EQ(opinion.steps[1], -1.0);
  EXPECT_EQ(opinion.asked, 4);
  EXPECT_EQ(opinion.unreadable, 2);
  EXPECT_EQ(opinion.first_unreadable, "maybe");
}

TEST(ModelJudge, TakesTheMajorityOfSampledAnswers) {
  Scripted language_model([](const std::string&, const std::string& question, uint32_t draw) {
    return question.starts_with("<") ? (draw == 1 ? "True" : "False") : draw == 0 ? "first" : "second";
  });
  const auto opinion = judged(language_model, {}, {.votes = 3}, {"r"}, {all_parts()})[0];
  EXPECT_EQ(opinion.steps[0], -1.0);
  EXPECT_EQ(opinion.preference, Preference::second);
  EXPECT_EQ(language_model.begun, 1);
}

// P(True) = .6 and P(False) = .2; the rest is for words that are not answers: (.6 - .2) / .8 = .5.
TEST(ModelJudge, ByLikelihoodComparesTheAnswersAlone) {
  Scripted language_model(yes);
  language_model.weights = [](const std::string&, const std::vector<std::string>& choices) {
    if (choices.size() == 2) return std::vector<double>{std::log(.6), std::log(.2)};
    return std::vector<double>{std::log(.1), std::log(.2), std::log(.3), std::log(.4)};
  };
  const auto opinion = judged(language_model, {}, {.by_likelihood = true}, {"r"}, {all_parts()})[0];
  EXPECT_NEAR(*opinion.steps[0], .5, 1e-12);
  EXPECT_NEAR(*opinion.reply, 0, 1e-12) << ".2 + .3 - .1 - .4";
  EXPECT_EQ(opinion.preference, Preference::neither) << "the likelier of those that say worse, at .5 each";
}

// first .4, second .3, both good .3, neither 0: the most likely answer is "worse", but the answers for "better" have a
// higher sum.
TEST(ModelJudge, ByLikelihoodPrefersAWordOfTheLikelierSide) {
  Scripted language_model([](const std::string&, const std::string& question, uint32_t) {
    return question.starts_with("<") ? "True" : "first";
  });
  language_model.weights = [](const std::string&, const std::vector<std::string>& choices) {
    if (choices.size() == 2) return std::vector<double>{std::log(.5), std::log(.5)};
    return std::vector<double>{std::log(.4), std::log(.31), std::log(.29), std::log(1e-9)};
  };
  const auto opinion = judged(language_model, {}, {.by_likelihood = true}, {"r"}, {all_parts()})[0];
  EXPECT_EQ(opinion.preference, Preference::second);
  EXPECT_NEAR(*opinion.reply, .2, 1e-6);
}

// Speculates that all answers are "True" as long as they are, and not any more once one of four is not.
TEST(ModelJudge, GuessesWhatWasMostlyAnsweredAndCountsOnWhatIsARule) {
  int asked = 0;
  Scripted language_model(
      [&](const std::string&, const std::string&, uint32_t) { return ++asked > 3 ? "False" : "True"; });
  const ModelJudge judge(language_model, Questions(bare(), {.reply = false}, {}));
  const JudgeInput one{StepTexts{"early", std::nullopt, std::nullopt}, InterpretedReply{""}};
  for (int i = 0; i < 7; ++i) ask(judge, {one});
  EXPECT_EQ(language_model.guessed,
            (std::vector<std::string>{"True?", "True!", "True!", "True!", "True?", "True?", "True?"}));
  ask(judge, {one});
  EXPECT_EQ(language_model.guessed.back(), "False?") << "four of seven";
}

// One of ten answers was different: speculates for one conversation, but not for two that share their passes.
TEST(ModelJudge, CountsLessOnARuleTheMoreAreAskedTogether) {
  Scripted language_model([asked = 0](const std::string&, const std::string&, uint32_t) mutable {
    return ++asked == 1 ? "False" : "True";
  });
  const ModelJudge judge(language_model, Questions(bare(), {.reply = false}, {}));
  const JudgeInput one{StepTexts{"early", std::nullopt, std::nullopt}, InterpretedReply{""}};
  for (int i = 0; i < 10; ++i) ask(judge, {one});
  ask(judge, {one});
  EXPECT_EQ(language_model.guessed.back(), "True!");
  ask(judge, {one, one});
  EXPECT_EQ(language_model.guessed.back(), "True?");
  for (int i = 0; i < 10; ++i) ask(judge, {one});
  ask(judge, {one, one});
  EXPECT_EQ(language_model.guessed.back(), "True!") << "22 of 23";
}

TEST(ModelJudge, TakesWhatCanNotBeReadForNoRule) {
  Scripted language_model([](const std::string&, const std::string&, uint32_t) { return "maybe"; });
  const ModelJudge judge(language_model, Questions(bare(), {}, {}));
  for (int i = 0; i < 3; ++i) ask(judge, {all_parts()});
  for (size_t i = 0; i < language_model.guessed.size(); ++i)
    EXPECT_EQ(language_model.guessed[i], i % 4 < 3 ? "True?" : "first?");
}

TEST(JudgeFormat, PutsTextsIntoTheSlotsOfItsPrompts) {
  for (const char* language : {"en", "zh"}) {
    const JudgeFormat form(
        Settings({{"prompts", std::string(COMPEER_BINARY_DIR) + "/plugins/rewards/prompts/" + language},
                  {"step_words", {"True", "False"}},
                  {"preference_words", {"first", "second", "both good", "neither"}}}));
    const auto context = form.context(history_turns);
    ASSERT_EQ(context.size(), 1u);
    EXPECT_EQ(context[0].role, "system");
    const std::string language_model = language == std::string("zh") ? "求助者：" : "Seeker: ";
    EXPECT_NE(context[0].text.find(language_model + "i am sad\n"), std::string::npos) << context[0].text;
    EXPECT_NE(form.about_step(2, "a question").find("a question"), std::string::npos);
    const auto beside = form.about_step(2, "a question", {std::nullopt, std::nullopt, "advice"});
    EXPECT_LT(beside.find("advice"), beside.find("a question"));
    EXPECT_NE(form.about_replies({"A"}, {"B"}, {"late", {}, {}}).find("late"), std::string::npos);
    EXPECT_NE(form.about_replies({"A"}, {"B"}).find("both good"), std::string::npos);
  }
}

TEST(JudgeFormat, ASystemTurnIsNobodysWords) {
  const JudgeFormat form(Settings({{"prompts", std::string(COMPEER_BINARY_DIR) + "/plugins/rewards/prompts/en"},
                                   {"step_words", {"True", "False"}},
                                   {"preference_words", {"first", "second", "both good", "neither"}}}));
  const auto text = form.context({{"system", "You are an expert."}, {"user", "i am sad"}})[0].text;
  EXPECT_EQ(text.find("expert"), std::string::npos) << text;
  EXPECT_NE(text.find("Seeker: i am sad\n"), std::string::npos) << text;
}

TEST(JudgeFormat, ShowsThePicturesOfTheDialogueInTheContext) {
  const std::vector<Turn> history = {{"user", "a", {"1.png"}}, {"assistant", "b"}, {"user", "c", {"2.png", "3.png"}}};
  EXPECT_EQ(bare().context(history)[2].pictures, (std::vector<std::string>{"2.png", "3.png"}));
  const JudgeFormat form(Settings({{"prompts", COMPEER_BINARY_DIR "/plugins/rewards/prompts/en"},
                                   {"step_words", {"True", "False"}},
                                   {"preference_words", {"first", "second", "both good", "neither"}}}));
  EXPECT_EQ(form.context(history).at(0).pictures, (std::vector<std::string>{"1.png", "2.png", "3.png"}));
}

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
  void hold(double floor) { require_recall(run_.string(), judge_.string(), weights_of(judge_.string()), floor); }

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
              "recall of wrong 'emotion' steps is 0.45, below min_recall = 0.50 (measured by " + run_.string() + ")");
    EXPECT_EQ(error.exit(), Exit::spec);
  }
}

TEST_F(Floor, RefusesAJudgeThatWasTaughtSinceItWasMeasured) {
  weights("other weights");
  try {
    hold(0.1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains no accuracy of the judge " + judge_.string());
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
  const auto none = file + ": contains no accuracy of the judge " + judge_.string();
  EXPECT_EQ(said("{\"details").find(file + ": is not valid JSON"), 0u) << said("{\"details");
  EXPECT_EQ(said("[1]"), file + ": is not a JSON object");
  EXPECT_EQ(said("{\"details\": 7}"), none);
  EXPECT_EQ(said("{\"details\": {\"stages\": [7, {\"findings\": 7}, {\"findings\": {\"judges\": 7}}]}}"), none);
}

}  // namespace
}  // namespace compeer::judging
