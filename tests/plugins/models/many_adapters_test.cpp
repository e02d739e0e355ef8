// Several adapters over one base share forward passes; each gives the same results as alone.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/error.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/engine.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using rollout::Prompt;

const std::string base = COMPEER_SOURCE_DIR "/tests/golden/lora/base";

json with(json settings, const json& more) {
  settings.update(more);
  return settings;
}

class ManyAdaptersTest : public testing::Test {
 protected:
  ManyAdaptersTest()
      : first(made("first", 2, 0.05, {"*"})), second(made("second", 5, -0.08, {"q_proj", "down_proj"})) {}

  static std::unique_ptr<plugin::Plugin<Model>> open(const json& given) {
    static const plugin::Services services;
    const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    const json usual{{"frozen", true}, {"precision", "stored"}, {"engine", "exact"}};
    return std::make_unique<plugin::Plugin<Model>>(
        plugin::open<Model>(chosen, Settings(with(usual, given)), std::make_unique<plugin::RunHost>(chosen, services)));
  }

  std::string made(const std::string& name, int64_t rank, double change, const std::vector<std::string>& targets,
                   const std::string& precision = "float32") const {
    const json adapter{{"path", nullptr}, {"rank", rank}, {"alpha", 4.0}, {"rslora", false}, {"targets", targets}};
    const auto model = open({{"path", base}, {"precision", precision}, {"adapter", adapter}});
    for (const Parameter& p : model->object().parameters()) p.value.detach().add_(change);
    const auto folder = folder_.folder() / name;
    fs::create_directory(folder);
    model->object().save(folder.string());
    return folder.string();
  }

  static int32_t add(plugin::Plugin<Model>& model, const std::string& folder) {
    return dynamic_cast<ManyAdapters&>(model.object()).add_adapter(folder);
  }

  static std::string complaint(const json& settings, const std::string& folder) {
    const auto model = open(settings);
    try {
      add(*model, folder);
    } catch (const Error& error) {
      return error.where() + ": " + error.problem() + " | " + error.help() + " | exit " +
             std::to_string(static_cast<int>(error.exit()));
    }
    return "accepted";
  }

  // Returns a prompt; lengths vary, so that prompt portions of some sequences share passes with tokens of others.
  static Prompt prompt(uint32_t index, int32_t adapter) {
    Prompt one{index, {}};
    for (uint32_t i = 0; i < 3 + 17 * (index % 4); ++i)
      one.tokens.push_back(static_cast<int32_t>((7 * i + index) % 60));
    one.adapter = adapter;
    return one;
  }

  static rollout::Request request() {
    rollout::Request request;
    request.group_size = 2;
    request.sampling.max_new_tokens = 15;
    request.sampling.concurrent = 7;
    request.seed = 3;
    return request;
  }

  const Scratch folder_;
  const std::string first, second;
};

TEST_F(ManyAdaptersTest, SpeakAsEachDoesAlone) {
  for (const json& how : {json::object(), json{{"compute", "bfloat16"}}, json{{"precision", "q8_0"}}}) {
    const std::vector<std::string> folders{base, first, second};
    const auto all = open(with(how, {{"path", base}}));
    ASSERT_EQ(add(*all, first), 1);
    ASSERT_EQ(add(*all, second), 2);
    rollout::Policy policy(all->object());
    std::vector<Prompt> prompts;
    for (uint32_t i = 0; i < 12; ++i) prompts.push_back(prompt(i, static_cast<int32_t>(i % 3)));
    const auto together = rollout::generate(policy, prompts, request());
    const auto scores = rollout::Engine(policy).score(prompts);
    for (size_t adapter = 0; adapter < folders.size(); ++adapter) {
      const auto one = open(with(how, {{"path", folders[adapter]}}));
      rollout::Policy alone(one->object());
      for (size_t i = adapter; i < prompts.size(); i += folders.size()) {
        const std::vector<Prompt> asked{prompt(static_cast<uint32_t>(i), 0)};
        const auto expected = rollout::generate(alone, asked, request()).front();
        for (size_t k = 0; k < expected.size(); ++k) {
          EXPECT_EQ(together[i][k].tokens, expected[k].tokens) << how << adapter;
          EXPECT_EQ(together[i][k].log_probs, expected[k].log_probs) << how << adapter;
          EXPECT_EQ(together[i][k].entropies, expected[k].entropies) << how << adapter;
        }
        EXPECT_EQ(scores[i], rollout::Engine(alone).score(asked).front()) << how << adapter;
      }
    }
  }
}

TEST_F(ManyAdaptersTest, StandBesideTheModelsOwn) {
  const auto both = open({{"path", first}}), alone = open({{"path", second}});
  rollout::Policy policy(both->object()), other(alone->object());
  const auto before = rollout::generate(policy, {prompt(1, 0)}, request());  // without the second adapter
  ASSERT_EQ(add(*both, second), 1);
  const auto samples = rollout::generate(policy, {prompt(1, 0), prompt(2, 1)}, request());
  const auto expected = rollout::generate(other, {prompt(2, 0)}, request());
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(samples[0][k].log_probs, before[0][k].log_probs);
    EXPECT_EQ(samples[1][k].log_probs, expected[0][k].log_probs);
  }
  EXPECT_NE(samples[0][0].log_probs, rollout::generate(other, {prompt(1, 0)}, request())[0][0].log_probs);
}

TEST_F(ManyAdaptersTest, StayWithTheirConversations) {
  const auto model = open({{"path", base}}), alone = open({{"path", first}});
  const auto number = add(*model, first);
  rollout::Policy policy(model->object()), only(alone->object());
  rollout::Engine engine(policy);
  auto conversation = engine.new_sequence(number);
  const std::vector<int32_t> beginning{1, 2, 3, 4, 5}, rest{6, 7}, whole{1, 2, 3, 4, 5, 6, 7};
  engine.read({{0, beginning, nullptr, &conversation}});
  const auto copy = conversation;
  EXPECT_EQ(copy.adapter(), number);
  auto goes_on = copy;
  const auto said = engine.generate({{4, rest, nullptr, &goes_on}}, request());
  EXPECT_EQ(said[0][1].log_probs, rollout::generate(only, {{4, whole}}, request())[0][1].log_probs);
}

// Also when the pages of a failed sequence are reused.
TEST_F(ManyAdaptersTest, BreakAlone) {
  const auto model = open({{"path", base}}), alone = open({{"path", first}});
  add(*model, first);
  const auto broken = add(*model, made("broken", 2, 1e30, {"*"}));
  rollout::Policy policy(model->object()), only(alone->object());
  rollout::Engine engine(policy);
  auto may_break = request();
  may_break.isolate_nonfinite = true;
  const auto samples = engine.generate({prompt(0, 1), prompt(1, broken), prompt(2, 1), prompt(3, broken)}, may_break);
  for (size_t i = 0; i < samples.size(); ++i) {
    const bool breaks = i % 2 == 1;
    const auto number = static_cast<uint32_t>(i);
    const auto expected = rollout::generate(only, {prompt(number, 0)}, request()).front();
    const auto again = engine.generate({prompt(number, 1)}, request()).front();
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(samples[i][k].nonfinite, breaks);
      EXPECT_EQ(again[k].log_probs, expected[k].log_probs);
      if (breaks) {
        EXPECT_EQ(samples[i][k].tokens.size(), 1u);
      } else {
        EXPECT_EQ(samples[i][k].log_probs, expected[k].log_probs);
      }
    }
  }
  EXPECT_THROW(engine.generate({prompt(1, broken)}, request()), Error);
}

TEST_F(ManyAdaptersTest, AreRefusedWhereTheyDontFit) {
  const auto over_blocks = made("blocks", 2, 0.01, {"*"}, "q8_0");
  EXPECT_EQ(complaint({{"path", base}}, over_blocks),
            over_blocks +
                ": the adapter was trained over weights in precision q8_0, not as stored | use --dtype "
                "q8_0, which applies to all adapters | exit 4");
  EXPECT_EQ(complaint({{"path", base}, {"precision", "q8_0"}}, over_blocks), "accepted");
  EXPECT_EQ(complaint({{"path", base}, {"precision", "float32"}}, over_blocks), "accepted");
  EXPECT_EQ(complaint({{"path", base}, {"engine", "libtorch"}}, first),
            "model.engine: 'libtorch' supports only one adapter at a time | set it to 'exact' | exit 3");
  EXPECT_EQ(complaint({{"path", base}, {"frozen", false}, {"precision", "float32"}}, first),
            "model.frozen: is false, but several adapters require a frozen base model | set it to true | exit 3");
  // Another base with the same shapes.
  const auto other = folder_.folder() / "other";
  fs::create_directory(other);
  const auto model = open({{"path", base}, {"frozen", false}, {"precision", "float32"}});
  model->object().parameters().at(3).value.detach().mul_(1.5);
  model->object().save(other.string());
  EXPECT_NE(complaint({{"path", other.string()}}, first)
                .find(first + ": the adapter was trained for a model with other "
                              "weights | it was trained for "),
            std::string::npos);
}

}  // namespace
}  // namespace compeer
