// The plugin compared with transformers: tests/golden/text_tied contains a small model and the library's results for
// it.
#include <fstream>

#include "base/error.h"
#include "qwen2_model.h"
#include "record/safetensors.h"
#include "rollout/engine.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Qwen2Golden : public testing::Test {
 protected:
  Qwen2Golden() {
    std::ifstream in(golden_folder / "golden.json");
    golden = json::parse(in);
  }

  Batch batch(const std::vector<int64_t>& ids) const {
    return {at::tensor(ids), {Segment{0, static_cast<int64_t>(ids.size()), 0, -1, {}}}};
  }

  at::Tensor log_probs(const std::vector<int64_t>& ids, double temperature = 1.0) {
    const auto b = batch(ids);
    const auto n = static_cast<int64_t>(ids.size());
    const auto hidden = model->object().forward(b, nullptr);
    return kernels::token_logprobs(hidden.slice(0, 0, n - 1).contiguous(), policy.head,
                                   b.tokens.slice(0, 1, n).contiguous(), temperature)
        .log_prob;
  }

  json golden;
  std::unique_ptr<plugin::Plugin<Model>> model = open_model({{"path", golden_folder.string()}});
  rollout::Policy policy{model->object()};
};

TEST_F(Qwen2Golden, LogProbabilitiesAgreeWithTransformers) {
  const at::NoGradGuard no_grad;
  const auto sequences = golden.at("sequences").get<std::vector<std::vector<int64_t>>>();
  for (const auto& [key, temperature] : {std::pair{"logprobs", 1.0}, std::pair{"logprobs_temperature_0_7", 0.7}}) {
    for (size_t s = 0; s < sequences.size(); ++s) {
      if (sequences[s].size() < 2) continue;
      const auto ours = log_probs(sequences[s], temperature);
      for (size_t i = 0; i + 1 < sequences[s].size(); ++i) {
        EXPECT_NEAR(ours[static_cast<int64_t>(i)].item<double>(), golden.at("right").at(key)[s][i].get<double>(), 1e-5)
            << key << " " << s << " " << i;
      }
    }
  }
}

TEST_F(Qwen2Golden, GradientsAgreeWithTransformers) {
  at::Tensor total = at::zeros({});
  double count = 0;
  for (const auto& ids : golden.at("sequences").get<std::vector<std::vector<int64_t>>>()) {
    if (ids.size() < 2) continue;
    total = total - log_probs(ids).sum();
    count += static_cast<double>(ids.size() - 1);
  }
  const auto loss = total / count;
  EXPECT_NEAR(loss.item<double>(), golden.at("loss_float64").get<double>(), 1e-5);
  loss.backward();
  const auto file = record::Safetensors::open(golden_folder / "golden.safetensors");
  for (const Parameter& p : model->object().parameters()) {
    const double norm = golden.at("grad_norms").at(p.name).get<double>();
    EXPECT_NEAR(p.value.grad().norm().item<double>(), norm, 1e-5 * norm + 1e-9) << p.name;
    if (!file.has("grad." + p.name)) continue;
    const auto& view = file.tensor("grad." + p.name);
    const auto expected = at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape, at::kFloat).clone();
    EXPECT_LE((p.value.grad() - expected).norm().item<double>(), 1e-5 * norm) << p.name;
  }
}

TEST_F(Qwen2Golden, GreedyTokensAgreeWithTransformers) {
  const auto& greedy = golden.at("greedy");
  rollout::Request request;
  request.sampling.greedy = true;
  request.sampling.max_new_tokens = greedy.at("new_tokens").get<int64_t>();
  std::vector<rollout::Prompt> prompts;
  for (const auto& ids : greedy.at("prompts"))
    prompts.push_back({static_cast<uint32_t>(prompts.size()), ids.get<std::vector<int32_t>>()});
  const auto groups = rollout::generate(policy, prompts, request);
  for (size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(groups[i][0].tokens, greedy.at("tokens")[i].get<std::vector<int32_t>>()) << i;
    for (size_t t = 0; t < groups[i][0].log_probs.size(); ++t)
      EXPECT_NEAR(groups[i][0].log_probs[t], greedy.at("logprobs")[i][t].get<double>(), 1e-5);
  }
}

TEST_F(Qwen2Files, WhatIsSavedIsLoadedBitForBit) {
  auto first = open_model({{"path", nullptr}, {"config", small_config()}});
  first->object().save(folder.string());
  auto second = open_model({{"path", folder.string()}});
  const auto a = first->object().parameters(), b = second->object().parameters();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(at::equal(a[i].value, b[i].value)) << a[i].name;
  }
}

TEST_F(Qwen2Files, MisfitsOfEachKindAreNamedAtOnce) {
  auto model = open_model({{"path", nullptr}, {"config", small_config()}});
  model->object().save(folder.string());
  auto config = small_config();
  config["num_hidden_layers"] = 2;
  config["intermediate_size"] = 20;
  std::ofstream(folder / "config.json") << config.dump();
  try {
    open_model({{"path", folder.string()}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("\n  model.layers.0.mlp.gate_proj.weight is [24, 16], should be [20, 16], and 2 more\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  missing model.layers.1.input_layernorm.weight [16], and 11 more"), std::string::npos)
        << text;
    EXPECT_EQ(e.exit(), Exit::data);
  }
}

TEST(Qwen2Libtorch, AgreesUpToRoundingAndSaysSo) {
  const json settings{{"path", golden_folder.string()}, {"engine", "libtorch"}};
  EXPECT_FALSE(open_model(settings)->object().shape().exact);
  const auto plain = computed(settings), exact = computed({{"path", golden_folder.string()}});
  EXPECT_TRUE(at::allclose(plain[1], exact[1], 0, 1e-4));
}

TEST_F(Qwen2Files, WhatConfigSaidStays) {
  const auto source = golden_folder.parent_path() / "text_untied";
  const auto read = [](const fs::path& file) { return json::parse(std::ifstream(file)); };
  open_model({{"path", source.string()}, {"end_token", 7}})->object().save(folder.string());
  auto before = read(source / "config.json"), generation = read(source / "generation_config.json");
  before["eos_token_id"] = generation["eos_token_id"] = 7;
  EXPECT_EQ(read(folder / "config.json"), before);
  EXPECT_EQ(read(folder / "generation_config.json"), generation);
  expect_same_bits(computed({{"path", folder.string()}}), computed({{"path", source.string()}}));
}

TEST_F(Qwen2Files, WeightsThatTrainLeaveTheFileAlone) {
  open_model({{"config", small_config()}})->object().save(folder.string());
  const auto before = computed({{"path", folder.string()}});
  {
    const auto model = open_model({{"path", folder.string()}});
    const at::NoGradGuard no_grad;
    for (Parameter& p : model->object().parameters()) p.value.add_(1.0);
  }
  expect_same_bits(computed({{"path", folder.string()}}), before);
}

// Reasons for refusing a config.json: the problem, and the help, if any.
class Qwen2Config : public Qwen2Files {
 protected:
  std::string refusal(const std::string& key, const json& value) {
    auto config = small_config();
    if (value.is_discarded())
      config.erase(key);
    else
      config[key] = value;
    std::ofstream(folder / "config.json") << config.dump();
    try {
      open_model({{"path", folder.string()}});
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::data);
      const std::string where = (folder / "config.json").string() + ": ";
      EXPECT_TRUE(e.problem().starts_with(where)) << e.problem();
      return e.problem().substr(std::min(where.size(), e.problem().size())) +
             (e.help().empty() ? "" : " | " + e.help());
    }
    return "accepted";
  }
};

TEST_F(Qwen2Config, OddFieldsAreNamed) {
  open_model({{"config", small_config()}})->object().save(folder.string());
  EXPECT_EQ(refusal("hidden_size", json(json::value_t::discarded)), "has no whole number 'hidden_size'");
  EXPECT_EQ(refusal("hidden_size", "16"), "'hidden_size' must be a whole number, not \"16\"");
  EXPECT_EQ(refusal("hidden_size", 0), "'hidden_size' must be from 1 to 2147483647, not 0");
  EXPECT_EQ(refusal("hidden_size", 16.5), "'hidden_size' must be a whole number, not 16.5");
  EXPECT_EQ(refusal("vocab_size", -3), "'vocab_size' must be from 1 to 2147483647, not -3");
  EXPECT_EQ(refusal("vocab_size", 18446744073709551615u),
            "'vocab_size' must be from 1 to 2147483647, not 18446744073709551615");
  EXPECT_EQ(refusal("num_hidden_layers", 1000000000), "'num_hidden_layers' must be from 1 to 10000, not 1000000000");
  EXPECT_EQ(refusal("num_attention_heads", 3), "hidden_size 16 must be a multiple of num_attention_heads 3");
  EXPECT_EQ(refusal("num_key_value_heads", 3), "num_attention_heads 2 must be a multiple of num_key_value_heads 3");
  EXPECT_EQ(refusal("head_dim", 7), "the size of a head, 7, must be even");
  EXPECT_EQ(refusal("rope_theta", 0), "'rope_theta' must be a number above 0, not 0");
  EXPECT_EQ(refusal("rms_norm_eps", "tiny"), "'rms_norm_eps' must be a number above 0, not \"tiny\"");
  EXPECT_EQ(refusal("tie_word_embeddings", 1), "'tie_word_embeddings' must be true or false, not 1");
  EXPECT_EQ(refusal("hidden_act", "gelu"), "hidden_act must be 'silu'");
  EXPECT_EQ(refusal("attention_bias", true), "'attention_bias' true is not supported");
  EXPECT_EQ(refusal("partial_rotary_factor", 0.5), "'partial_rotary_factor' must be 1");
  EXPECT_EQ(refusal("rope_scaling", {{"type", "dynamic"}, {"factor", 4}}),
            "rotary positions of type 'dynamic' are not supported | known: default, linear, llama3, yarn");
  EXPECT_EQ(refusal("rope_scaling", {{"type", "linear"}}),
            "'factor' is missing: the ratio of the context length to that of pretraining");
  EXPECT_EQ(refusal("rope_scaling", {{"rope_type", "llama3"}, {"factor", 4}}),
            "has no whole number 'original_max_position_embeddings'");
  EXPECT_EQ(
      refusal(
          "rope_scaling",
          {{"rope_type", "llama3"}, {"factor", 4}, {"low_freq_factor", 4}, {"original_max_position_embeddings", 64}}),
      "'low_freq_factor' must be below 'high_freq_factor'");
  EXPECT_EQ(refusal("rope_scaling", "yarn"), "'rope_scaling' must be a table");
  EXPECT_EQ(refusal("model_type", "llama"),
            "model_type is \"llama\", but this plugin supports only \"qwen2\" | set plugin = \"auto\" to select the "
            "right plugin");
  EXPECT_EQ(refusal("rope_scaling", nullptr), "accepted");
  EXPECT_EQ(refusal("rope_parameters", {{"rope_theta", 10000.0}, {"rope_type", "default"}}), "accepted");
}

TEST_F(Qwen2Config, AMissingSizeNamesTheKeyThatWasPerhapsMeant) {
  auto config = small_config();
  config["hiden_size"] = 16;
  config.erase("hidden_size");
  std::ofstream(folder / "config.json") << config.dump();
  try {
    open_model({{"path", folder.string()}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.help(), "did you mean 'hiden_size'?");
  }
}

TEST_F(Qwen2Config, OneThatIsNoJsonOrAbsentIsRefused) {
  const std::map<std::string, std::string> wrong{
      {"", "is not valid JSON: parse error at line 1, column 1: "},
      {"{", "is not valid JSON: parse error at line 1, column 2: "},
      {"[]", "is not a JSON object"},
      {"null", "is not a JSON object"},
      {R"({"vocab_size":)" + std::string(100000, '[') + std::string(100000, ']') + "}", "nests more than 64 levels"}};
  for (const auto& [text, problem] : wrong) {
    std::ofstream(folder / "config.json") << text;
    try {
      open_model({{"path", folder.string()}});
      FAIL() << "was accepted";
    } catch (const Error& e) {
      EXPECT_TRUE(e.problem().starts_with((folder / "config.json").string() + ": " + problem)) << e.problem();
      EXPECT_EQ(e.exit(), Exit::data);
    }
  }
  EXPECT_THROW(open_model({{"path", (folder / "absent").string()}}), Error);
}

TEST_F(Qwen2Files, NeitherPathNorConfigIsAnError) {
  try {
    open_model({{"path", nullptr}, {"config", nullptr}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("requires 'path', a model folder, or 'config'"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace compeer
