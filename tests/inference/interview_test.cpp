#include "inference/interview.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "seeing.h"

namespace compeer::inference {
namespace {

// What goes through the model for questions, to a model with a tokenizer of bytes. An answer has as many tokens as
// letters, and an end token.
class Interviewed : public Seeing {
 protected:
  Interview about(const std::vector<Question>& questions, bool alone) {
    return Interview(voice, words, talk, questions, manner, false, alone);
  }
  std::string read(Interview& interview) {
    const auto guess = interview.next(1);
    asked = guess.places.size();
    return tokenizer.decode(guess.tokens, true);
  }
  // As if the model had said this at the first place.
  void say(Interview& interview, const std::string& text) {
    std::vector<rollout::Choice> choices;
    for (const char letter : text) choices.push_back({{tokenizer.encode(std::string(1, letter))[0]}, {}});
    interview.take(choices);
  }

  const language::Tokenizer tokenizer = language::Tokenizer::load(folder);
  const language::Chat chat{tokenizer};
  plugin::Plugin<Model> model = open();
  const Eyes eyes{folder, model};
  rollout::Policy policy{model.object()};
  rollout::Engine engine{policy};
  const Voice voice{tokenizer, chat, eyes, model.object().shape().positions};
  Words words{voice};
  Spoken talk{{}, std::make_shared<const std::vector<Picture>>(), engine.conversation()};
  const Manner manner{0, 6};
  const std::vector<Question> unsure = {{"a?", {"yes", "no"}, 1, false}, {"b?", {"yes", "no"}, 1, false}};
  const std::vector<Question> sure = {{"a?", {"yes", "no"}, 1, true}, {"b?", {"yes", "no"}, 1, true}};
  size_t asked = 0;
};

TEST_F(Interviewed, GuessesNoAnswerThatIsNotSureBeforeAnotherQuestion) {
  auto interview = about(unsure, true);
  const auto plan = read(interview);
  EXPECT_NE(plan.find("a?"), std::string::npos);
  EXPECT_EQ(plan.find("no"), std::string::npos);
  EXPECT_EQ(asked, 1u);
}

TEST_F(Interviewed, GuessesTheLastAnswerOnlyIfItIsSureOrTheTalkIsAlone) {
  const std::vector<Question> one(unsure.begin(), unsure.begin() + 1), certain(sure.begin(), sure.begin() + 1);
  auto interview = about(one, true);
  EXPECT_TRUE(read(interview).ends_with("no"));
  EXPECT_EQ(asked, 3u) << "two letters and the end";
  auto beside_others = about(one, false);
  EXPECT_FALSE(read(beside_others).ends_with("no"));
  auto certainly = about(certain, false);
  EXPECT_TRUE(read(certainly).ends_with("no"));
}

TEST_F(Interviewed, ReadsTheNextQuestionAlongWithAnAnswerThatIsSure) {
  auto interview = about(sure, false);
  const auto plan = read(interview);
  EXPECT_LT(plan.find("no"), plan.find("b?"));
  EXPECT_TRUE(plan.ends_with("no"));
  EXPECT_EQ(asked, 6u);
}

TEST_F(Interviewed, ReadsTheNextQuestionAlongWithTheRestOfAnAnswerThatHasBegun) {
  auto interview = about(unsure, false);
  read(interview);
  say(interview, "y");
  const auto plan = read(interview);
  EXPECT_LT(plan.find("yes"), plan.find("b?")) << plan;
  EXPECT_EQ(asked, 4u) << "e, s, the end, and the next answer's first";
}

}  // namespace
}  // namespace compeer::inference
