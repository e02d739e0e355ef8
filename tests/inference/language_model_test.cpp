#include "inference/language_model.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/error.h"
#include "compeer/model.h"
#include "language/tokenizer.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/engine.h"
#include "rollout/pass.h"
#include "seeing.h"

namespace compeer::inference {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path tokenizer_folder = fs::path(COMPEER_SOURCE_DIR) / "plugins/datasets/esc_world/tokenizer";

plugin::PluginFile model_plugin(const std::string& kind, const std::string& name) {
  return {kind, name, fs::path(COMPEER_BINARY_DIR) / "plugins" / kind / (name + ".so"), ""};
}

// A small model of random weights with the tokenizer of esc_world, which has a chat template.
class SmallModel : public testing::Test {
 protected:
  explicit SmallModel(const std::vector<std::string>& said_often = {}) {
    services.seed = 5;
    services.find = model_plugin;
    const auto size = language::Tokenizer::load(tokenizer_folder).size();
    const json config = {{"vocab_size", size},
                         {"hidden_size", 16},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 2},
                         {"num_key_value_heads", 1},
                         {"intermediate_size", 24},
                         {"max_position_embeddings", 160},
                         {"rope_theta", 10000.0},
                         {"rms_norm_eps", 1e-6},
                         {"tie_word_embeddings", said_often.empty()}};
    fs::create_directories(folder);
    const auto chosen = model_plugin("models", "qwen2");
    auto model = plugin::open<Model>(chosen, plugin::whole_settings(chosen, {{"plugin", "qwen2"}, {"config", config}}),
                                     std::make_unique<plugin::RunHost>(chosen, services));
    model.call("save", [&](Model& m) {
      for (const std::string& often : said_often) raise(m, often);
      m.save(folder.string());
    });
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
      fs::copy_file(tokenizer_folder / file, folder / file, fs::copy_options::overwrite_existing);
    language_model = open_language_model(folder, services);
  }

  // Raises the probability of the word's tokens and of the end of a turn.
  static void raise(Model& model, const std::string& word) {
    const auto tokenizer = language::Tokenizer::load(tokenizer_folder);
    auto ids = tokenizer.encode(word);
    ids.push_back(tokenizer.end_token());
    auto rows = model.parameters().back().value.detach();
    for (const int32_t id : ids) rows[id].mul_(10 / rows[id].norm().item<double>());
  }

  std::string say(Conversation& conversation, const std::string& text, double temperature = 0, uint32_t draw = 0) {
    return language_model->answer({&conversation}, {text}, {temperature, 6, draw})[0].text;
  }

  const fs::path folder = fs::path(testing::TempDir()) / "small_speaker";
  plugin::Services services;
  std::unique_ptr<LanguageModel> language_model;
};

const std::vector<Turn> beginning = {{"user", "i feel lonely."}, {"assistant", "that sounds hard."}};

TEST_F(SmallModel, LeavesOutWhatItIsNotSureOfButHasSaidIt) {
  auto one = language_model->begin(beginning), other = language_model->begin(beginning);
  const auto all = language_model->answer({one.get()}, {"why?"}, {0, 6})[0];
  const auto none = language_model->answer({other.get()}, {"why?"}, {0, 6, 0, {}, 1.5})[0];
  EXPECT_NE(all.text, "");
  EXPECT_EQ(none.text, "");
  EXPECT_EQ(none.tokens, all.tokens);
  EXPECT_EQ(say(*other, "and then?"), say(*one, "and then?"));
}

TEST_F(SmallModel, GoingOnIsTheSameAsBeginningAnewWithAllThatWasSaid) {
  const auto kept = language_model->begin(beginning);
  const auto first = say(*kept, "what now?"), second = say(*kept, "and then?");
  auto turns = beginning;
  turns.push_back({"user", "what now?"});
  turns.push_back({"assistant", first});
  EXPECT_EQ(say(*language_model->begin(turns), "and then?"), second);
}

TEST_F(SmallModel, AnswersDoNotDependOnWhatIsAskedTogether) {
  const std::vector<std::string> texts = {"why?", "i am angry at my boss.", "tell me more"};
  for (const double temperature : {0.0, 1.0}) {
    std::vector<std::unique_ptr<Conversation>> conversations;
    std::vector<Conversation*> all;
    for (size_t i = 0; i < texts.size(); ++i)
      all.push_back(conversations.emplace_back(language_model->begin(beginning)).get());
    const auto together = language_model->answer(all, texts, {temperature, 6, 3});
    for (size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(say(*language_model->begin(beginning), texts[i], temperature, 3), together[i].text);
  }
}

TEST_F(SmallModel, ACopyGoesItsOwnWay) {
  const auto conversation = language_model->begin(beginning);
  const auto other = conversation->copy();
  const auto alone = say(*other, "why?");
  say(*conversation, "i am angry at my boss.");
  EXPECT_EQ(say(*conversation->copy(), "and then?"), say(*conversation, "and then?"));
  EXPECT_EQ(say(*language_model->begin(beginning), "why?"), alone);
}

TEST_F(SmallModel, AnotherDrawIsAnotherAnswer) {
  const auto conversation = language_model->begin({});
  std::set<std::string> answers;
  for (uint32_t draw = 0; draw < 8; ++draw) answers.insert(say(*conversation->copy(), "hello", 1.0, draw));
  EXPECT_GT(answers.size(), 1u);
  EXPECT_EQ(say(*conversation->copy(), "hello", 1.0, 2), say(*conversation->copy(), "hello", 1.0, 2));
}

TEST_F(SmallModel, AnAnswerIsOverWithTheFirstOfItsStops) {
  const auto whole = language_model->answer({language_model->begin({}).get()}, {"hello"}, {0, 6, 0})[0];
  const auto stop = whole.text.substr(0, 2);
  const auto said =
      language_model->answer({language_model->begin({}).get()}, {"hello"}, {0, 6, 0, {"never said", stop}})[0];
  EXPECT_TRUE(whole.text.starts_with(said.text) && said.text.starts_with(stop)) << whole.text;
  EXPECT_LT(said.tokens, whole.tokens);
  EXPECT_TRUE(said.finished);
}

const std::vector<std::string> word_count = {"True", "False", "both good", "first"};

// A model that mostly answers "x", "qq" or "".
class BriefModel : public SmallModel {
 protected:
  BriefModel() : SmallModel({"x", "q"}) {}

  // Returns questions about `word_count`, with the index of the answer to speculate on for each.
  static std::vector<Question> questions(const std::vector<size_t>& guesses, bool sure) {
    std::vector<Question> all;
    for (size_t i = 0; i < guesses.size(); ++i)
      all.push_back({"is it " + std::string(i + 1, 'x') + "?", word_count, guesses[i], sure});
    return all;
  }
};

TEST_F(BriefModel, AnswersManyQuestionsAsItAnswersOneByOneWhateverIsGuessed) {
  std::set<std::string> answers;
  const auto tokenizer = language::Tokenizer::load(tokenizer_folder);
  int right = 0;
  for (const double temperature : {0.0, 1.0}) {
    for (uint32_t draw = 0; draw < 6; ++draw) {
      const SamplingParams sampling{temperature, 6, draw};
      const std::string topic(draw + 1, 'y');
      const auto begun = language_model->begin({{"user", topic}});
      const auto alone = begun->copy();
      std::vector<Completion> expected;
      std::vector<std::vector<std::string>> choices;
      for (const Question& question : questions({0, 0, 0, 0}, false)) {
        expected.push_back(language_model->answer({alone.get()}, {question.text}, sampling)[0]);
        const Completion& said = expected.back();
        choices.push_back({said.text, "True", "both good", "first"});
        answers.insert(said.text);
        right += said.finished && said.tokens == static_cast<int64_t>(tokenizer.encode(said.text).size()) + 1 ? 1 : 0;
      }
      std::vector<std::unique_ptr<Conversation>> conversations;
      std::vector<Conversation*> lent;
      std::vector<std::vector<Question>> asked;
      for (const auto& guesses : std::vector<std::vector<size_t>>{{0, 0, 0, 0}, {0, 0, 1, 0}, {3, 2, 1, 0}}) {
        for (const bool sure : {true, false}) {
          lent.push_back(conversations.emplace_back(begun->copy()).get());
          asked.push_back(questions(guesses, sure));
          for (size_t i = 0; i < choices.size(); ++i) asked.back()[i].choices = choices[i];
        }
      }
      for (const bool weigh : {false, true}) {
        std::vector<std::unique_ptr<Conversation>> copies;
        for (size_t i = 0; i < lent.size(); ++i) lent[i] = copies.emplace_back(conversations[i]->copy()).get();
        for (const auto& heard : language_model->ask(lent, asked, sampling, weigh)) {
          ASSERT_EQ(heard.size(), 4u);
          for (size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(heard[i].answer.text, expected[i].text) << temperature << " " << draw << " " << i;
            EXPECT_EQ(heard[i].answer.tokens, expected[i].tokens);
            EXPECT_EQ(heard[i].answer.finished, expected[i].finished);
          }
        }
        EXPECT_EQ(say(*lent[0], "and then?", temperature, draw), say(*alone->copy(), "and then?", temperature, draw));
        for (size_t k = 0; k < conversations.size(); ++k) {
          const auto heard = language_model->ask({conversations[k]->copy().get()}, {asked[k]}, sampling, weigh)[0];
          for (size_t i = 0; i < 4; ++i) EXPECT_EQ(heard[i].answer.text, expected[i].text) << "one conversation alone";
        }
      }
    }
  }
  EXPECT_GT(answers.size(), 3u);
  EXPECT_GT(right, 10) << "guesses that are what is said";
}

// The probabilities of different answers add up to at most 1.
TEST_F(BriefModel, WeighsChoicesWhereEachQuestionStood) {
  const auto weighed = [&](const std::vector<size_t>& guesses, bool sure) {
    return language_model->ask({language_model->begin(beginning).get()}, {questions(guesses, sure)}, {0, 6, 0},
                               true)[0];
  };
  const auto all = weighed({0, 0, 0, 0}, false);
  for (const ScoredAnswer& one : all) {
    ASSERT_EQ(one.log_probs.size(), word_count.size());
    double sum = 0;
    for (const double log_prob : one.log_probs) sum += std::exp(log_prob);
    EXPECT_LE(sum, 1.0);
    EXPECT_GT(sum, 0.0);
  }
  const auto others = weighed({3, 1, 2, 0}, true);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].log_probs, others[i].log_probs) << i;
  auto turns = beginning;
  const auto asked = questions({0, 0}, false);
  turns.push_back({"user", asked[0].text});
  turns.push_back({"assistant", all[0].answer.text});
  const auto second = language_model->ask({language_model->begin(turns).get()}, {{asked[1]}}, {0, 6, 0}, true)[0][0];
  EXPECT_EQ(second.log_probs, all[1].log_probs);
}

TEST_F(BriefModel, ScoresAnAnswerTokenByTokenAsItWeighsAChoiceAndForgetsIt) {
  const auto asked = questions({0}, false);
  const auto weighed = language_model->ask({language_model->begin(beginning).get()}, {asked}, {0, 6, 0}, true)[0][0];
  auto turns = beginning;
  turns.push_back({"user", asked[0].text});
  const auto conversation = language_model->begin(turns);
  const auto scores =
      language_model->score(std::vector<Conversation*>(word_count.size(), conversation.get()), asked[0].choices);
  for (size_t i = 0; i < scores.size(); ++i)
    EXPECT_EQ(std::accumulate(scores[i].begin(), scores[i].end(), 0.0), weighed.log_probs[i]) << asked[0].choices[i];
  EXPECT_EQ(language_model->answer({conversation.get()}, {""}, {0, 6})[0].text, weighed.answer.text);
}

TEST_F(BriefModel, SaysWhenThereIsNoRoomForAQuestion) {
  auto asked = questions({0, 0}, true);
  for (int i = 0; i < 200; ++i) asked[1].text += " lonely";
  EXPECT_THROW(language_model->ask({language_model->begin(beginning).get()}, {asked}, {0, 6, 0}, false), Error);
}

TEST_F(SmallModel, SaysWhenThereIsNoRoom) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "lonely ";
  try {
    say(*language_model->begin(beginning), text);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_NE(error.problem().find("tokens, but its model has room for 160"), std::string::npos) << error.what();
  }
}

TEST(ModelPluginOf, NamesWhatIsWrongWithAFolder) {
  const auto folder = fs::path(testing::TempDir()) / "no_model";
  fs::create_directories(folder);
  try {
    model_plugin_of(folder);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), folder.string());
    EXPECT_EQ(error.problem(), "has no config.json");
  }
}

// A judge with a vision model. Both images have the same number of tokens.
class SeeingSpeaker : public Seeing {
 protected:
  static std::vector<Turn> shown(int number) {
    return {{"user", "i am sad", {picture(number)}}, {"assistant", "oh"}, {"user", "look", {picture(1)}}};
  }
  // Log-probability of the answer "yes" to "well?".
  double weighed(const std::vector<Turn>& turns) {
    const auto conversation = language_model->begin(turns);
    return language_model->ask({conversation.get()}, {{{"well?", {"yes"}}}}, {0, 6}, true)[0][0].log_probs.at(0);
  }
  const std::unique_ptr<LanguageModel> language_model = open_language_model(folder, services);
};

TEST_F(SeeingSpeaker, WeighsAnswersAsScoringDoes) {
  const auto tokenizer = language::Tokenizer::load(folder);
  const language::Chat chat(tokenizer);
  auto model = open();
  const VisionInput vision_input(folder, model);
  auto turns = shown(0);
  turns.push_back({"user", "well?"});
  const auto pictures = vision_input.read(turns, "");
  auto tokens = vision_input.prompt(chat, turns, pictures, "");
  const size_t asked = tokens.size();
  for (const int32_t id : chat.answer("yes")) tokens.push_back(id);
  rollout::Policy policy(model.object());
  const auto scored =
      rollout::Engine(policy).score({{0, tokens, vision_input.compute_vision(tokens, 0, 0, pictures)}})[0];
  double sum = 0;
  for (size_t i = asked; i < tokens.size(); ++i) sum += static_cast<double>(scored[i - 1]);
  EXPECT_EQ(weighed(shown(0)), sum);
}

TEST_F(SeeingSpeaker, AnotherPictureIsAnotherOpinion) { EXPECT_NE(weighed(shown(0)), weighed(shown(2))); }

TEST_F(SeeingSpeaker, GoingOnIsTheSameAsBeginningAnewWithAllThatWasShown) {
  const SamplingParams sampling{1.0, 6, 3};
  const auto kept = language_model->begin(shown(0));
  const auto copy = kept->copy();
  const auto first = language_model->answer({kept.get()}, {""}, sampling)[0].text;
  auto turns = shown(0);
  turns.push_back({"assistant", first});
  const auto anew = language_model->begin(turns);
  const auto next = language_model->answer({kept.get(), anew.get()}, {"and?", "and?"}, sampling);
  EXPECT_EQ(next[0].text, next[1].text);
  EXPECT_EQ(language_model->answer({copy.get()}, {""}, sampling)[0].text, first);
}

TEST_F(SmallModel, APictureIsRefusedByNameWithoutEyes) {
  try {
    language_model->begin({{"user", "look", {"cat.png"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "language_model: shows cat.png, but the model does not support pictures\n  help: use one that does "
                 "(qwen2_5_vl), or leave the pictures out");
  }
}

TEST_F(SmallModel, WithoutATextTheLastTurnIsAnswered) {
  auto turns = beginning;
  turns.push_back({"user", "what now?"});
  EXPECT_EQ(say(*language_model->begin(turns), ""), say(*language_model->begin(beginning), "what now?"));
}

// A randomly initialized model with so few positions that texts can exceed them.
struct Small {
  Small() : tokenizer(language::Tokenizer::load(COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer")) {
    const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    const nlohmann::json settings = {{"path", nullptr},
                                     {"frozen", false},
                                     {"precision", "float32"},
                                     {"engine", "exact"},
                                     {"config",
                                      {{"vocab_size", tokenizer.size()},
                                       {"hidden_size", 32},
                                       {"num_hidden_layers", 2},
                                       {"num_attention_heads", 2},
                                       {"num_key_value_heads", 1},
                                       {"intermediate_size", 48},
                                       {"max_position_embeddings", 40},
                                       {"rope_theta", 10000.0},
                                       {"rms_norm_eps", 1e-6},
                                       {"tie_word_embeddings", true}}}};
    model = std::make_unique<plugin::Plugin<Model>>(
        plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
  }
  std::vector<std::vector<float>> of(const std::vector<std::string>& texts) {
    return embeddings(*model, tokenizer, texts);
  }

  language::Tokenizer tokenizer;
  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> model;
};

const std::vector<std::string> some_texts{"I feel sad.", "", "How was your day? Tell me more about it.", "a",
                                          "I feel sad."};

TEST(Embeddings, AreMeansOfTheLastHiddenStates) {
  Small small;
  const auto tokens = small.tokenizer.encode(some_texts[0]);
  const auto count = static_cast<int64_t>(tokens.size());
  const auto hidden = small.model->object().forward({rollout::int_tensor(tokens), {{0, count, 0, -1, {}}}}, nullptr);
  const auto made = small.of({some_texts[0]});
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].size(), 32u);
  for (int64_t k = 0; k < 32; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(hidden.const_data_ptr<float>()[i * 32 + k]);
    EXPECT_EQ(made[0][static_cast<size_t>(k)], static_cast<float>(sum / static_cast<double>(count)));
  }
}

TEST(Embeddings, HaveTheSameBitsAloneTogetherAndOnTwoThreads) {
  Small small;
  const auto together = small.of(some_texts);
  for (size_t i = 0; i < some_texts.size(); ++i) EXPECT_EQ(small.of({some_texts[i]})[0], together[i]) << some_texts[i];
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  EXPECT_EQ(small.of(some_texts), together);
  at::set_num_threads(threads);
  EXPECT_EQ(together[1], std::vector<float>(32, 0.0f)) << "a text without tokens";
  EXPECT_EQ(together[0], together[4]);
  EXPECT_NE(together[0], together[3]);
}

TEST(Embeddings, LeaveOutWhatTheModelHasNoPositionsFor) {
  Small small;
  std::string text;
  while (small.tokenizer.encode(text).size() < 40) text += " a";
  EXPECT_EQ(small.of({text + " b b b"}), small.of({text}));
}

}  // namespace
}  // namespace compeer::inference
