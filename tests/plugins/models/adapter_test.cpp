// LoRA adapters: which weights are frozen, trained and saved. Computation and gradients are compared with peft's in
// verify/verify, on tests/golden/lora.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "record/safetensors.h"
#include "rollout/engine.h"
#include "rollout/policy.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path lora = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/lora";

std::unique_ptr<plugin::Plugin<Model>> open_model(const json& given) {
  json settings{{"path", (lora / "base").string()}, {"frozen", false}, {"precision", "float32"}, {"engine", "exact"}};
  settings.update(given);
  static const plugin::Services services;
  const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
  return std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
}

json adapter(const json& more = json::object()) {
  json settings{{"path", nullptr}, {"rank", 3}, {"alpha", 6.0}, {"rslora", false}, {"targets", {"*"}}};
  settings.update(more);
  return settings;
}

at::Tensor hidden_of(Model& model) {
  return model.forward({at::tensor({3, 1, 4, 1, 5}, at::kLong), {Segment{0, 5, 0, -1, {}}}}, nullptr);
}
at::Tensor hidden_of(const json& given) {
  const at::NoGradGuard no_grad;
  return hidden_of(open_model(given)->object());
}

// Changes all weights, so that B is not zero any more.
void teach(Model& model) {
  for (const Parameter& p : model.parameters()) p.value.detach().add_(0.01);
  model.parameters_changed();
}

std::string complaint(const json& given) {
  try {
    open_model(given);
  } catch (const Error& error) {
    return error.problem() + (error.help().empty() ? "" : " | " + error.help());
  }
  return "accepted";
}

TEST(Adapter, BeginsAsTheModelThatItStandsOn) {
  EXPECT_TRUE(at::equal(hidden_of({{"adapter", adapter()}}), hidden_of(json::object())));
}

TEST(Adapter, LearnsInPlaceOfTheModel) {
  const auto model = open_model({{"adapter", adapter({{"targets", {"q_proj", "layers.1.mlp.*"}}})}});
  std::vector<std::string> names;
  for (const Parameter& p : model->object().parameters()) names.push_back(p.name);
  const std::string in = "base_model.model.model.layers.";
  EXPECT_EQ(names,
            (std::vector<std::string>{in + "0.self_attn.q_proj.lora_A.weight", in + "0.self_attn.q_proj.lora_B.weight",
                                      in + "1.self_attn.q_proj.lora_A.weight", in + "1.self_attn.q_proj.lora_B.weight",
                                      in + "1.mlp.gate_proj.lora_A.weight", in + "1.mlp.gate_proj.lora_B.weight",
                                      in + "1.mlp.up_proj.lora_A.weight", in + "1.mlp.up_proj.lora_B.weight",
                                      in + "1.mlp.down_proj.lora_A.weight", in + "1.mlp.down_proj.lora_B.weight"}));
  teach(model->object());
  hidden_of(model->object()).square().sum().backward();
  for (const Parameter& p : model->object().parameters()) {
    ASSERT_TRUE(p.value.grad().defined()) << p.name;
    EXPECT_GT(p.value.grad().abs().max().item<float>(), 0) << p.name;
  }
  EXPECT_FALSE(model->object().head().requires_grad());
}

// Policy, judge and reader share one copy of the base in memory.
TEST(Adapter, StandsOnABaseThatOthersStandOnToo) {
  const Scratch folder;
  const auto policy = open_model({{"adapter", adapter()}}), base = open_model({{"frozen", true}});
  teach(policy->object());
  policy->object().save(folder.folder().string());
  const auto judge = open_model({{"path", folder.folder().string()}, {"frozen", true}, {"precision", "stored"}});
  const at::Tensor head = policy->object().head();
  EXPECT_TRUE(head.is_same(base->object().head()));
  EXPECT_TRUE(head.is_same(judge->object().head()));
  const auto trained = open_model(json::object());
  EXPECT_FALSE(head.is_same(trained->object().head()));
  rollout::Policy asks(policy->object()), judges(judge->object());
  EXPECT_EQ(&asks.head.packed(), &judges.head.packed());
}

// As opened by judges and commands.
TEST(Adapter, IsOpenedOverWhatItWasTrainedOver) {
  const Scratch folder;
  const auto model = open_model({{"precision", "q8_0"}, {"adapter", adapter()}});
  teach(model->object());
  model->object().save(folder.folder().string());
  const std::string saved = folder.folder().string();
  const at::NoGradGuard no_grad;
  const auto ours = hidden_of(model->object());
  EXPECT_TRUE(at::equal(hidden_of({{"path", saved}, {"frozen", true}, {"precision", "stored"}}), ours));
  EXPECT_FALSE(at::equal(hidden_of({{"path", saved}, {"frozen", true}, {"precision", "float32"}}), ours));
}

TEST(Adapter, OverABaseInBfloat16IsTheSameModelForBothEngines) {
  const at::NoGradGuard no_grad;
  const auto hidden = [](const char* engine) {
    const auto model = open_model({{"adapter", adapter()}, {"precision", "bfloat16"}, {"engine", engine}});
    teach(model->object());
    return hidden_of(model->object());
  };
  const auto expected = hidden("exact");
  EXPECT_LT((hidden("libtorch") - expected).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
}

TEST(Adapter, SaysWhatItWasTrainedOverAndIsHeldToIt) {
  const Scratch folder;
  const auto saved_over = [&](const std::string& precision) {
    const auto model = open_model({{"precision", "q8_0"}, {"adapter", adapter()}});
    model->object().save(folder.folder().string());
    const fs::path file = folder.folder() / "adapter_model.safetensors";
    std::string bytes = read_file(file);
    bytes.replace(bytes.find("\"q8_0\""), 6, '"' + precision + '"');
    std::ofstream(file) << bytes;
    return json{{"path", folder.folder().string()}, {"frozen", true}, {"precision", "stored"}};
  };
  EXPECT_EQ(complaint(saved_over("q9_0")),
            (folder.folder() / "adapter_model.safetensors").string() +
                ": has the unknown base_precision 'q9_0' | base_precision must be one of stored, "
                "float32, bfloat16, q8_0, q4_0");
  json settings = saved_over("q8_0");
  settings["engine"] = "libtorch";
  EXPECT_EQ(
      complaint(settings),
      "model.engine: 'libtorch' does not support model.precision = \"q8_0\" | set it to 'exact', or choose another "
      "model.precision");
}

TEST(Adapter, IsRefusedIfItsNumbersAreNotFinite) {
  const Scratch folder;
  const auto model = open_model({{"adapter", adapter({{"targets", {"layers.0.self_attn.q_proj"}}})}});
  model->object().parameters().at(1).value.detach()[0][1] = NAN;
  model->object().save(folder.folder().string());
  EXPECT_NE(
      complaint({{"path", folder.folder().string()}})
          .find("the adapter does not fit the model:\n  "
                "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight contains numbers that are not finite"),
      std::string::npos);
}

TEST(Adapter, ReadsABaseAnewThatWasReplaced) {
  const Scratch folder;
  const auto copy = [&] {
    for (const char* name : {"config.json", "model.safetensors"}) {
      fs::remove(folder.folder() / name);
      fs::copy(lora / "base" / name, folder.folder() / name);
    }
  };
  copy();
  const json settings{{"path", folder.folder().string()}, {"frozen", true}};
  const auto before = open_model(settings);
  copy();
  EXPECT_FALSE(before->object().head().is_same(open_model(settings)->object().head()));
}

// A base with 8-bit or 4-bit weights: sampling records the log-probs that the trainer's forward pass computes, and
// gradients flow through it.
TEST(Adapter, LearnsOnABaseInBlocks) {
  for (const char* precision : {"q8_0", "q4_0"}) {
    const auto model = open_model({{"precision", precision}, {"adapter", adapter()}});
    teach(model->object());
    rollout::Policy policy(model->object());
    rollout::Request request;
    request.group_size = 3;
    request.sampling.max_new_tokens = 9;
    const std::vector<int32_t> prompt{3, 1, 4};
    const auto samples = rollout::generate(policy, {{0, prompt}}, request);
    ASSERT_EQ(samples.at(0).size(), 3u);
    for (const auto& sample : samples.at(0)) {
      ASSERT_EQ(sample.tokens.size(), 9u);
      std::vector<int64_t> all(prompt.begin(), prompt.end());
      all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
      const auto tokens = at::tensor(all, at::kLong);
      const auto hidden = model->object().forward({tokens, {Segment{0, tokens.size(0), 0, -1, {}}}}, nullptr);
      const auto scored = policy.arithmetic.token_logprobs(hidden.slice(0, 2, -1).contiguous(), policy.head,
                                                           tokens.slice(0, 3).contiguous(), 1.0);
      EXPECT_TRUE(at::equal(scored.log_prob, at::tensor(sample.log_probs))) << precision;
      scored.log_prob.sum().backward();
    }
    for (const Parameter& p : model->object().parameters())
      EXPECT_GT(p.value.grad().abs().max().item<float>(), 0) << p.name;
  }
}

TEST(Adapter, IsSavedAndOpenedBitForBit) {
  const Scratch folder;
  const auto model = open_model({{"adapter", adapter()}});
  teach(model->object());
  model->object().save(folder.folder().string());
  const at::NoGradGuard no_grad;
  const auto ours = hidden_of(model->object());
  const std::string saved = folder.folder().string();
  EXPECT_TRUE(at::equal(hidden_of({{"path", saved}}), ours));  // the adapter's folder names its base
  EXPECT_TRUE(at::equal(hidden_of({{"path", saved}, {"frozen", true}}), ours));
  EXPECT_TRUE(at::equal(hidden_of({{"path", saved}, {"adapter", adapter()}}), ours));  // as when a run is resumed
  EXPECT_TRUE(at::equal(hidden_of({{"adapter", adapter({{"path", saved}})}}), ours));
  EXPECT_FALSE(at::equal(hidden_of(json::object()), ours));
}

TEST(Adapter, IsWrittenAsPeftReadsIt) {
  const Scratch folder;
  const auto save = [&](const json& targets) {
    open_model({{"end_token", 7}, {"adapter", adapter({{"targets", targets}, {"rslora", true}})}})
        ->object()
        .save(folder.folder().string());
    return read_json_object(folder.folder() / "adapter_config.json");
  };
  const auto config = save({"v_proj", "q_proj"});
  EXPECT_EQ(config.at("peft_type"), "LORA");
  EXPECT_EQ(config.at("task_type"), "CAUSAL_LM");
  EXPECT_EQ(config.at("r"), 3);
  EXPECT_EQ(config.at("lora_alpha"), 6.0);
  EXPECT_EQ(config.at("use_rslora"), true);
  EXPECT_EQ(config.at("target_modules"), json({"q_proj", "v_proj"}));
  EXPECT_EQ(config.at("base_model_name_or_path"), (lora / "base").string());
  const auto tensors = record::Safetensors::open(folder.folder() / "adapter_model.safetensors");
  const std::string name = "base_model.model.model.layers.1.self_attn.v_proj.lora_";
  EXPECT_EQ(tensors.tensor(name + "A.weight").shape.at(0), 3);
  EXPECT_EQ(tensors.tensor(name + "B.weight").shape.at(1), 3);
  EXPECT_EQ(tensors.names().size(), 8u);
  EXPECT_EQ(read_json_object(folder.folder() / "generation_config.json").at("eos_token_id"), 7);
  EXPECT_EQ(save({"layers.1.self_attn.q_proj"}).at("target_modules"), json({"model.layers.1.self_attn.q_proj"}));
}

TEST(Adapter, HasPeftsUniformBeginning) {
  const auto model = open_model({{"adapter", adapter()}});
  const auto all = model->object().parameters();
  for (size_t i = 0; i < all.size(); i += 2) {
    const at::Tensor& a = all[i].value;
    const double bound = 1 / std::sqrt(static_cast<double>(a.size(1)));
    EXPECT_LE(a.abs().max().item<double>(), bound);
    EXPECT_GT(a.abs().max().item<double>(), 0.8 * bound);
    EXPECT_EQ(all[i + 1].value.abs().max().item<float>(), 0);
  }
  EXPECT_FALSE(at::equal(all[0].value, all[2].value));
}

TEST(Adapter, NamesWhatDoesNotFit) {
  EXPECT_EQ(
      complaint({{"adapter", adapter({{"targets", {"q_prj"}}})}}),
      "model.adapter.targets: the model has no projection 'q_prj' | did you mean 'q_proj'? known: q_proj, k_proj, "
      "v_proj, o_proj, gate_proj, up_proj, down_proj");
  EXPECT_EQ(
      complaint({{"adapter", adapter({{"targets", json::array()}})}}),
      "model.adapter.targets: contains no projection | name some, such as q_proj and v_proj, or * for all of them");
  EXPECT_EQ(
      complaint({{"adapter", adapter({{"rank", 30}})}}),
      "model.adapter.rank: is 30, but model.layers.0.self_attn.k_proj is [24, 48] | choose a rank up to the smaller "
      "side; 8 to 64 are usual");
  EXPECT_EQ(complaint({{"path", nullptr}, {"config", json::object()}, {"adapter", adapter()}}),
            "model.adapter: requires an existing model | set model.path to its folder");
  EXPECT_EQ(complaint({{"path", (lora / "adapter_all").string()}, {"adapter", adapter()}}),
            "model.adapter: differs from the adapter in model.path | leave it out to train that adapter further, or "
            "set model.path to its base model to start another");
  const std::string other = (fs::path(COMPEER_SOURCE_DIR) / "tests/golden/text_tied").string();
  const auto text = complaint({{"path", other}, {"adapter", adapter({{"path", (lora / "adapter_rslora").string()}})}});
  EXPECT_NE(text.find("the adapter does not fit the model:\n  base_model.model.model.layers.0.self_attn.q_proj.lora_A"),
            std::string::npos)
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("should be \\[[0-9, ]+\\], and [0-9]+ more"))) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 3) << "a line for each kind: " << text;
  EXPECT_TRUE(text.ends_with(" | it was trained for base: use that model")) << text;
}

TEST(Adapter, IsRefusedByAModelOfOtherWeights) {
  const Scratch made, other;
  open_model({{"adapter", adapter()}})->object().save(made.folder().string());
  const auto model = open_model(json::object());
  model->object().parameters()[3].value.detach().add_(0.001);
  model->object().save(other.folder().string());
  const auto text =
      complaint({{"path", other.folder().string()}, {"adapter", adapter({{"path", made.folder().string()}})}});
  EXPECT_EQ(text, made.folder().string() +
                      ": the adapter was trained for a model with other weights | it was trained for " +
                      (lora / "base").string() + ": use that model");
}

TEST(Adapter, OfAnotherKindIsRefused) {
  const Scratch folder;
  fs::copy(lora / "adapter_all", folder.folder(), fs::copy_options::recursive);
  const auto refused = [&](const json& change) {
    auto config = read_json_object(lora / "adapter_all" / "adapter_config.json");
    config.update(change);
    write_file(folder.folder() / "adapter_config.json", config.dump());
    const auto text = complaint({{"adapter", adapter({{"path", folder.folder().string()}})}});
    const std::string where = (folder.folder() / "adapter_config.json").string() + ": ";
    return text.starts_with(where) ? text.substr(where.size()) : text;
  };
  EXPECT_EQ(refused(json::object()), "accepted");
  EXPECT_EQ(refused({{"use_dora", true}}), "'use_dora' is not supported");
  EXPECT_EQ(refused({{"modules_to_save", {"lm_head"}}}), "'modules_to_save' is not supported");
  EXPECT_EQ(refused({{"rank_pattern", {{"q_proj", 8}}}}), "'rank_pattern' is not supported");
  EXPECT_EQ(refused({{"bias", "all"}}), "'bias' must be \"none\"");
  EXPECT_EQ(refused({{"peft_type", "IA3"}}), "peft_type is \"IA3\"; only LORA is supported");
  EXPECT_EQ(refused({{"r", 0}}), "'r' must be a whole number of at least 1");
  EXPECT_NE(refused({{"r", 5}}).find("lora_A.weight is [4, "), std::string::npos);
}

TEST(Adapter, NamesItsBaseIfThatIsGone) {
  const Scratch folder;
  fs::copy(lora / "adapter_all", folder.folder(), fs::copy_options::recursive);
  EXPECT_EQ(complaint({{"path", folder.folder().string()}}),
            (folder.folder() / "adapter_config.json").string() +
                ": its base model 'base' was not found | set base_model_name_or_path to the folder of the model that "
                "the adapter was trained on");
}

}  // namespace
}  // namespace compeer
