#include "inference/speculative_questions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "seeing.h"

namespace compeer::inference {
namespace {

// What goes through the model for questions, to a model with a tokenizer of bytes. An answer has as many tokens as
// letters, and an end token.
class Interviewed : public Seeing {
 protected:
  SpeculativeQuestions about(const std::vector<Question>& questions, bool alone) {
    return SpeculativeQuestions(format, words, conversation, questions, sampling, false, alone);
  }
  std::string read(SpeculativeQuestions& questions) {
    const auto guess = questions.next(1);
    asked = guess.places.size();
    return tokenizer.decode(guess.tokens, true);
  }
  // As if the model had said this at the first place.
  void say(SpeculativeQuestions& questions, const std::string& text) {
    std::vector<rollout::NextToken> choices;
    for (const char letter : text) choices.push_back({{tokenizer.encode(std::string(1, letter))[0]}, {}});
    questions.take(choices);
  }

  const language::Tokenizer tokenizer = language::Tokenizer::load(folder);
  const language::Chat chat{tokenizer};
  plugin::Plugin<Model> model = open();
  const VisionInput vision_input{folder, model};
  rollout::Policy policy{model.object()};
  rollout::Engine engine{policy};
  const PromptFormat format{tokenizer, chat, vision_input, model.object().shape().positions};
  ChoiceTokens words{format};
  ConversationState conversation{{}, std::make_shared<const std::vector<Picture>>(), engine.new_sequence()};
  const SamplingParams sampling{0, 6};
  const std::vector<Question> unsure = {{"a?", {"yes", "no"}, 1, false}, {"b?", {"yes", "no"}, 1, false}};
  const std::vector<Question> sure = {{"a?", {"yes", "no"}, 1, true}, {"b?", {"yes", "no"}, 1, true}};
  size_t asked = 0;
};

TEST_F(Interviewed, GuessesNoAnswerThatIsNotSureBeforeAnotherQuestion) {
  auto questions = about(unsure, true);
  const auto plan = read(questions);
  EXPECT_NE(plan.find("a?"), std::string::npos);
  EXPECT_EQ(plan.find("no"), std::string::npos);
  EXPECT_EQ(asked, 1u);
}

TEST_F(Interviewed, GuessesTheLastAnswerOnlyIfItIsSureOrTheTalkIsAlone) {
  const std::vector<Question> one(unsure.begin(), unsure.begin() + 1), certain(sure.begin(), sure.begin() + 1);
  auto questions = about(one, true);
  EXPECT_TRUE(read(questions).ends_with("no"));
  EXPECT_EQ(asked, 3u) << "two letters and the end";
  auto beside_others = about(one, false);
  EXPECT_FALSE(read(beside_others).ends_with("no"));
  auto certainly = about(certain, false);
  EXPECT_TRUE(read(certainly).ends_with("no"));
}

TEST_F(Interviewed, ReadsTheNextQuestionAlongWithAnAnswerThatIsSure) {
  auto questions = about(sure, false);
  const auto plan = read(questions);
  EXPECT_LT(plan.find("no"), plan.find("b?"));
  EXPECT_TRUE(plan.ends_with("no"));
  EXPECT_EQ(asked, 6u);
}

TEST_F(Interviewed, ReadsTheNextQuestionAlongWithTheRestOfAnAnswerThatHasBegun) {
  auto questions = about(unsure, false);
  read(questions);
  say(questions, "y");
  const auto plan = read(questions);
  EXPECT_LT(plan.find("yes"), plan.find("b?")) << plan;
  EXPECT_EQ(asked, 4u) << "e, s, the end, and the next answer's first";
}

}  // namespace
}  // namespace compeer::inference
