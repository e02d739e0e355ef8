#include "inference/vision_input.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "inference/speculative_questions.h"
#include "rollout/engine.h"
#include "seeing.h"
#include "train/update/learning.h"
#include "train/update/policy_pass.h"

namespace compeer::inference {
namespace {

namespace fs = std::filesystem;

constexpr int32_t image_token = 260;

// Fixture for chat turns as input of a vision model.
class SeenTurns : public Seeing {
 protected:
  explicit SeenTurns(bool merger = false)
      : tokenizer(language::Tokenizer::load(folder)),
        chat(tokenizer),
        model(open(merger)),
        vision_input(folder, model) {}

  static std::vector<Turn> dialogue(int number) {
    return {{"user", "i am sad", {picture(number)}}, {"assistant", "oh"}, {"user", "look", {picture(1)}}};
  }
  std::string complaint(const VisionInput& some, const std::vector<Turn>& turns) const {
    try {
      some.prompt(chat, turns, some.read(turns, "record 7"), "record 7");
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.what();
    }
    return "nothing";
  }

  const language::Tokenizer tokenizer;
  const language::Chat chat;
  plugin::Plugin<Model> model;
  const VisionInput vision_input;
};

TEST_F(SeenTurns, APictureStandsBeforeItsTextAsOftenAsItHasTokens) {
  const auto turns = dialogue(0);
  const auto tokens = vision_input.prompt(chat, turns, vision_input.read(turns, ""), "");
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), image_token), 6 + 16);
  std::string seen = tokenizer.decode(tokens);  // text without special tokens
  EXPECT_EQ(seen, "user\ni am sad\nassistant\noh\nuser\nlook\nassistant\n");
  const auto first = std::find(tokens.begin(), tokens.end(), image_token);
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>(tokens.begin(), first)), "user\n");
  EXPECT_EQ(vision_input.prompt(chat, {turns.begin(), turns.begin() + 2}, vision_input.read(turns, ""), "").size(),
            tokens.size() - 16 - std::string("user\nlook\n").size() - 4);
}

TEST_F(SeenTurns, WhatPeopleWroteIsNoPicture) {
  const auto tokens = vision_input.prompt(chat, {{"user", "<|image_pad|>"}}, {}, "");
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), image_token), 0);
}

TEST_F(SeenTurns, LooksOnFromAnyTurn) {
  const auto turns = dialogue(0);
  const auto pictures = vision_input.read(turns, "");
  const auto tokens = vision_input.prompt(chat, turns, pictures, "");
  const auto whole = vision_input.compute_vision(tokens, 0, 0, pictures);
  const auto middle = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), image_token) - tokens.begin()) + 8;
  const auto begin = vision_input.compute_vision(std::span(tokens).first(middle), 0, 0, pictures);
  const auto rest = vision_input.compute_vision(tokens, middle, begin->next, pictures);
  EXPECT_TRUE(at::equal(at::cat({begin->features, rest->features}), whole->features));
  EXPECT_TRUE(at::equal(at::cat({begin->positions, rest->positions}, 1), whole->positions));
  EXPECT_EQ(rest->next, whole->next);
  EXPECT_EQ(vision_input.compute_vision(tokens, tokens.size() - 3, 40, pictures), nullptr);
}

TEST_F(SeenTurns, SaysWhatCanNotBeShown) {
  const auto missing = (folder / "none.png").string();
  EXPECT_EQ(complaint(vision_input, {{"user", "look", {missing}}}).find("record 7: " + missing + ": "), 0u);
  const auto broken = (folder / "broken.png").string();
  std::ofstream(broken) << "\x89PNG no more";
  EXPECT_EQ(complaint(vision_input, {{"user", "look", {broken}}}).find("record 7: " + broken + ": "), 0u);
  EXPECT_EQ(complaint(VisionInput("", model), dialogue(0)),
            "record 7: shows " + picture(0) +
                ", but the model does not support pictures\n  help: use one that does (qwen2_5_vl), or leave the "
                "pictures out");
  fs::remove(folder / "preprocessor_config.json");
  EXPECT_EQ(complaint(VisionInput(folder, model), dialogue(0)),
            "record 7: shows " + picture(0) +
                ", but the model folder has no preprocessor_config.json\n  help: add it: it contains the settings of "
                "picture processing");
}

TEST_F(SeenTurns, AFolderThatIsSavedSeesAlike) {
  const auto other = folder / "other";
  fs::create_directories(other);
  model.call("save", [&](Model& m) { m.save(other.string()); });
  vision_input.save(other);
  const auto turns = dialogue(0);
  EXPECT_EQ(VisionInput(other, model).prompt(chat, turns, vision_input.read(turns, ""), ""),
            vision_input.prompt(chat, turns, VisionInput(other, model).read(turns, ""), ""));
}

TEST_F(SeenTurns, AnAdapterSavesTheSettingsOfItsBase) {
  const auto adapter = folder / "adapter", other = folder / "other";
  for (const auto& path : {adapter, other}) fs::create_directories(path);
  std::ofstream(adapter / "adapter_config.json") << nlohmann::json{{"base_model_name_or_path", folder.string()}};
  VisionInput(adapter, model).save(other);
  EXPECT_TRUE(fs::exists(other / "preprocessor_config.json"));
}

// Training on a dialogue with images must agree with inference, for a frozen and a trainable merger.
class LearntWithPictures : public SeenTurns, public testing::WithParamInterface<bool> {
 protected:
  LearntWithPictures() : SeenTurns(GetParam()) {}
  train::PromptGroup group(int number) const {
    train::PromptGroup group;
    const auto turns = dialogue(number);
    group.pictures = vision_input.read(turns, "");
    group.prompt = vision_input.prompt(chat, turns, group.pictures, "");
    group.vision = vision_input.compute_vision(group.prompt, 0, 0, group.pictures);
    return group;
  }
  static std::vector<float> list(const at::Tensor& t) {
    const auto flat = t.detach().contiguous();
    return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
  }
  std::vector<float> gradients(const std::function<void()>& backward) {
    for (auto& p : policy.model.parameters()) p.value.mutable_grad() = at::zeros_like(p.value);
    backward();
    std::vector<float> all;
    for (const auto& p : policy.model.parameters()) {
      const auto own = list(p.value.grad());
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  rollout::Policy policy{model.object()};
};

INSTANTIATE_TEST_SUITE_P(Merger, LearntWithPictures, testing::Bool());

TEST_P(LearntWithPictures, ALessonHasTheLogProbsThatScoringGives) {
  auto tokens = group(0).prompt;
  const auto pictures = group(0).pictures;
  for (const int32_t id : chat.answer("no")) tokens.push_back(id);
  const train::TrainingSequence lesson(
      tokens, {{1, static_cast<int64_t>(tokens.size())}},
      vision_input.compute_vision(std::span(tokens).first(tokens.size() - 1), 0, 0, pictures));
  const auto scored = rollout::Engine(policy).score({{0, tokens, vision_input.compute_vision(tokens, 0, 0, pictures)}});
  EXPECT_EQ(list(train::log_probs(policy, std::vector{lesson, lesson})).size(), 2 * scored[0].size());
  EXPECT_EQ(list(train::log_probs(policy, std::vector{lesson})), scored[0]);
}

TEST_P(LearntWithPictures, AGroupHasTheLogProbsItWasSampledWith) {
  auto own = group(0);
  const rollout::Request request{{.max_new_tokens = 5}, 3, {tokenizer.end_token()}, 11, 1};
  own.samples = rollout::generate(policy, {{0, own.prompt, own.vision}}, request)[0];
  const auto batch = train::group_batch(own);
  const auto now = train::log_probs(policy, batch, 1.0);
  EXPECT_EQ(list(now.log_prob), list(batch.sampled_log_probs));

  auto other = group(2);  // another image with the same number of tokens
  EXPECT_EQ(other.prompt, own.prompt);
  other.samples = own.samples;
  EXPECT_NE(list(train::log_probs(policy, train::group_batch(other), 1.0).log_prob), list(now.log_prob));
}

TEST_P(LearntWithPictures, PartsOfAGroupAreDifferentiatedAsTheWhole) {
  auto own = group(0);
  own.samples = {{{70, 71, 72}, {0, 0, 0}, {}, true}, {{73}, {0}, {}, true}, {{74, 75}, {0, 0}, {}, true}};
  const auto batch = train::group_batch(own);
  const auto weights = at::arange(1, 7, at::kFloat);
  const auto whole = gradients([&] { (train::log_probs(policy, batch, 1.0).log_prob * weights).sum().backward(); });
  const auto parts = gradients([&] { train::backward_in_parts(policy, batch, 1.0, 1, weights, {}); });
  EXPECT_EQ(whole, parts);
  EXPECT_TRUE(std::any_of(whole.begin(), whole.end(), [](float g) { return g != 0; }));
}

// Tests the tokens that SpeculativeQuestions passes to a model with a byte-level tokenizer: an answer has one token per
// letter, and an end token.
class Interviewed : public Seeing {
 protected:
  SpeculativeQuestions about(const std::vector<Question>& questions, bool alone) {
    return SpeculativeQuestions(format, words, conversation, questions, sampling, false, alone);
  }
  std::string read(SpeculativeQuestions& questions) {
    const auto guess = questions.next(1);
    asked = guess.positions.size();
    return tokenizer.decode(guess.tokens, true);
  }
  // Acts as if the model had answered `text` at the first place.
  void say(SpeculativeQuestions& questions, const std::string& text) {
    std::vector<rollout::NextToken> choices;
    for (const char letter : text) choices.push_back({{tokenizer.encode(std::string(1, letter))[0]}, {}});
    questions.accept_tokens(choices);
  }

  const language::Tokenizer tokenizer = language::Tokenizer::load(folder);
  const language::Chat chat{tokenizer};
  plugin::Plugin<Model> model = open();
  const VisionInput vision_input{folder, model};
  rollout::Policy policy{model.object()};
  rollout::Engine engine{policy};
  const PromptFormat format{tokenizer, chat, vision_input, model.object().shape().positions};
  ChoiceTokenCache words{format};
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
