#include "train/speaker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "compeer/model.h"
#include "language/tokenizer.h"
#include "plugin/open.h"

namespace compeer::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kTokenizer = fs::path(COMPEER_SOURCE_DIR) / "plugins/datasets/esc_world/tokenizer";

plugin::Chosen model_plugin(const std::string& kind, const std::string& name) {
  return {kind, name, fs::path(COMPEER_BINARY_DIR) / "plugins" / kind / (name + ".so"), ""};
}

// A small model of random weights with the tokenizer of esc_world, which has a chat template.
class SmallSpeaker : public testing::Test {
 protected:
  SmallSpeaker() {
    services.seed = 5;
    services.find = model_plugin;
    const auto size = language::Tokenizer::load(kTokenizer).size();
    const json config = {{"vocab_size", size},
                         {"hidden_size", 16},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 2},
                         {"num_key_value_heads", 1},
                         {"intermediate_size", 24},
                         {"max_position_embeddings", 160},
                         {"rope_theta", 10000.0},
                         {"rms_norm_eps", 1e-6},
                         {"tie_word_embeddings", true}};
    fs::create_directories(folder);
    const auto chosen = model_plugin("models", "qwen2");
    auto model = plugin::open<Model>(chosen, plugin::whole_settings(chosen, {{"plugin", "qwen2"}, {"config", config}}),
                                     std::make_unique<plugin::RunHost>(chosen, services));
    model.call("save", [&](Model& m) { m.save(folder.string()); });
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
      fs::copy_file(kTokenizer / file, folder / file, fs::copy_options::overwrite_existing);
    speaker = open_speaker(folder, services);
  }

  std::string say(Talk& talk, const std::string& text, double temperature = 0, uint32_t draw = 0) {
    return speaker->answer({&talk}, {text}, {temperature, 6, draw})[0].text;
  }

  const fs::path folder = fs::path(testing::TempDir()) / "small_speaker";
  plugin::Services services;
  std::unique_ptr<Speaker> speaker;
};

const std::vector<Turn> kBeginning = {{"user", "i feel lonely."}, {"assistant", "that sounds hard."}};

TEST_F(SmallSpeaker, GoingOnIsTheSameAsBeginningAnewWithAllThatWasSaid) {
  const auto kept = speaker->begin(kBeginning);
  const auto first = say(*kept, "what now?"), second = say(*kept, "and then?");
  auto turns = kBeginning;
  turns.push_back({"user", "what now?"});
  turns.push_back({"assistant", first});
  EXPECT_EQ(say(*speaker->begin(turns), "and then?"), second);
}

TEST_F(SmallSpeaker, AnswersDoNotDependOnWhatIsAskedTogether) {
  const std::vector<std::string> texts = {"why?", "i am angry at my boss.", "tell me more"};
  for (const double temperature : {0.0, 1.0}) {
    std::vector<std::unique_ptr<Talk>> talks;
    std::vector<Talk*> all;
    for (size_t i = 0; i < texts.size(); ++i) all.push_back(talks.emplace_back(speaker->begin(kBeginning)).get());
    const auto together = speaker->answer(all, texts, {temperature, 6, 3});
    for (size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(say(*speaker->begin(kBeginning), texts[i], temperature, 3), together[i].text);
  }
}

TEST_F(SmallSpeaker, ACopyGoesItsOwnWay) {
  const auto talk = speaker->begin(kBeginning);
  const auto other = talk->copy();
  const auto alone = say(*other, "why?");
  say(*talk, "i am angry at my boss.");
  EXPECT_EQ(say(*talk->copy(), "and then?"), say(*talk, "and then?"));
  EXPECT_EQ(say(*speaker->begin(kBeginning), "why?"), alone);
}

TEST_F(SmallSpeaker, AnotherDrawIsAnotherAnswer) {
  const auto talk = speaker->begin({});
  std::set<std::string> answers;
  for (uint32_t draw = 0; draw < 8; ++draw) answers.insert(say(*talk->copy(), "hello", 1.0, draw));
  EXPECT_GT(answers.size(), 1u);
  EXPECT_EQ(say(*talk->copy(), "hello", 1.0, 2), say(*talk->copy(), "hello", 1.0, 2));
}

TEST_F(SmallSpeaker, AnAnswerIsOverWithTheFirstOfItsStops) {
  const auto whole = speaker->answer({speaker->begin({}).get()}, {"hello"}, {0, 6, 0})[0];
  const auto stop = whole.text.substr(0, 2);
  const auto said = speaker->answer({speaker->begin({}).get()}, {"hello"}, {0, 6, 0, {"never said", stop}})[0];
  EXPECT_TRUE(whole.text.starts_with(said.text) && said.text.starts_with(stop)) << whole.text;
  EXPECT_LT(said.tokens, whole.tokens);
  EXPECT_TRUE(said.finished);
}

// One token and the end of the turn at least: probabilities of different answers add up to less than 1.
TEST_F(SmallSpeaker, WeighsAnswersAndLeavesTheTalkAsItWas) {
  const auto talk = speaker->begin(kBeginning);
  const auto first = speaker->weigh(*talk, "why?", {"a", "b", "anger"});
  ASSERT_EQ(first.size(), 3u);
  EXPECT_LT(std::exp(first[0]) + std::exp(first[1]) + std::exp(first[2]), 1.0);
  EXPECT_EQ(speaker->weigh(*talk, "why?", {"b"})[0], first[1]);
  EXPECT_EQ(say(*talk, "why?"), say(*speaker->begin(kBeginning), "why?"));
}

TEST_F(SmallSpeaker, SaysWhenThereIsNoRoom) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "lonely ";
  try {
    say(*speaker->begin(kBeginning), text);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_NE(error.problem().find("tokens, its model has room for 160"), std::string::npos) << error.what();
  }
}

TEST(ModelPluginOf, NamesWhatIsWrongWithAFolder) {
  const auto folder = fs::path(testing::TempDir()) / "no_model";
  fs::create_directories(folder);
  try {
    model_plugin_of(folder);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.where().find("config.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace compeer::train
