// compeer verify: the copies under tests/golden pass, and errors in them are found.
#include "tools/verify/verify.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "places.h"
#include "record/safetensors.h"
#include "tools/verify/tokenizer.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden";

std::string failures(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) {
    if (!check.passed) text += check.name + " " + std::to_string(check.error) + " " + check.note + "\n";
  }
  return text;
}

std::set<std::string> failed_names(const std::vector<Check>& checks) {
  std::set<std::string> names;
  for (const Check& check : checks) {
    if (!check.passed) names.insert(check.name);
  }
  return names;
}

// A temporary folder for changed copies of reference files.
class Verify : public testing::Test {
 protected:
  Verify() {
    ::setenv("COMPEER_PLUGIN_PATH", COMPEER_BINARY_DIR "/plugins", 1);
    std::string name = (fs::temp_directory_path() / "compeer-verify-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~Verify() override { fs::remove_all(folder); }

  fs::path copy(const std::string& name) {
    fs::copy(golden_folder / name, folder / name, fs::copy_options::recursive);
    return folder / name;
  }

  static void change(const fs::path& file, const std::function<void(json&)>& edit) {
    json value = json::parse(read_file(file));
    edit(value);
    write_file(file, value.dump());
  }

  int run(bool as_json = false) {
    testing::internal::CaptureStdout();
    try {
      const int exit =
          verify({{"folder", folder.string()}, {"tokenizer", ""}, {"models", json::object()}, {"json", as_json}});
      output = testing::internal::GetCapturedStdout();
      return exit;
    } catch (...) {
      output = testing::internal::GetCapturedStdout();
      throw;
    }
  }

  fs::path folder;
  std::string output;
};

class GoldenText : public Verify, public testing::WithParamInterface<const char*> {};

TEST_P(GoldenText, Passes) {
  const auto checks = verify_text(golden_folder / GetParam(), {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_GE(checks.size(), 25u);
}

INSTANTIATE_TEST_SUITE_P(Verify, GoldenText,
                         testing::Values("text_tied", "text_untied", "text_bf16", "llama", "qwen3", "mistral"));

TEST_F(Verify, PassesGgufFiles) {
  const auto checks = verify_gguf(golden_folder / "gguf" / "golden.json", {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_GE(checks.size(), 60u);
}

TEST_F(Verify, FindsChangedValuesOfGgufFiles) {
  copy("gguf");
  change(folder / "gguf" / "golden.json", [](json& g) {
    g["quants"]["metadata"][1]["value"] = 201;
    g["tokenizer"]["by_pre"]["qwen2"]["encode"][2]["ids"][0] = 43;
    g["model"]["tensors"][3]["first"][1] = 0.25;
    g["model"]["logprobs"][0][2] = -8.03;
  });
  EXPECT_EQ(failed_names(verify_gguf(folder / "gguf" / "golden.json", {})),
            (std::set<std::string>{"quants.metadata", "tokenizer.qwen2.ids", "tokenizer.qwen2.decoded", "model.first",
                                   "model.right.logprobs"}));
}

TEST_F(Verify, PassesAdapters) {
  const auto checks = verify_lora(golden_folder / "lora" / "golden.json", {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_GE(checks.size(), 1 + 2 * 14u);
}

TEST_F(Verify, PassesLosses) {
  const auto checks = verify_grpo_loss(golden_folder / "grpo_loss", {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_EQ(checks.size(), 2 * 88u);
}

TEST_F(Verify, PassesAdvantages) {
  const auto checks = verify_grpo_advantages(golden_folder / "grpo_advantages.json", {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_EQ(checks.size(), 40u);
}

TEST_F(Verify, PassesWholeUpdates) {
  const auto checks = verify_grpo_step(golden_folder / "grpo_step" / "golden.json", {});
  EXPECT_EQ(failures(checks), "");
  EXPECT_GE(checks.size(), 3 + 7 * 7u);
}

TEST_F(Verify, FindsChangedNumbersOfLossesAndAdvantages) {
  fs::create_directories(folder / "losses");
  fs::copy(golden_folder / "grpo_loss" / "dapo_token_beta0.04.json", folder / "losses" / "one.json");
  for (const char* key : {"grad_logprobs", "per_token_loss", "ratio", "per_token_kl"}) {
    const json before = json::parse(read_file(folder / "losses" / "one.json"));
    change(folder / "losses" / "one.json",
           [&](json& g) { g["outputs"][key][0][2] = g["outputs"][key][0][2].get<double>() + 1e-8; });
    EXPECT_EQ(failed_names(verify_grpo_loss(folder / "losses", {})), std::set<std::string>{"one"}) << key;
    write_file(folder / "losses" / "one.json", before.dump());
  }
  change(folder / "losses" / "one.json", [](json& g) { g["outputs"]["metrics"]["kl"] = 0.5; });
  EXPECT_EQ(failed_names(verify_grpo_loss(folder / "losses", {})), std::set<std::string>{"one.metrics"});
  fs::copy(golden_folder / "grpo_advantages.json", folder / "advantages.json");
  change(folder / "advantages.json",
         [](json& g) { g["cases"][2]["advantages"][1] = g["cases"][2]["advantages"][1].get<double>() + 1e-5; });
  EXPECT_EQ(failed_names(verify_grpo_advantages(folder / "advantages.json", {})),
            std::set<std::string>{"normal_batch"});
}

TEST_F(Verify, NamesALossThatNobodyKnows) {
  fs::create_directories(folder / "losses");
  fs::copy(golden_folder / "grpo_loss" / "dapo_token_beta0.json", folder / "losses" / "one.json");
  change(folder / "losses" / "one.json", [](json& g) { g["settings"]["loss_type"] = "dappo"; });
  EXPECT_EQ(run(), 4);
  EXPECT_NE(output.find("'dappo' is not a supported loss"), std::string::npos) << output;
}

// A weight changed by a hundredth changes everything computed from it.
TEST_F(Verify, FindsAChangedWeight) {
  const auto text = copy("text_tied");
  auto bytes = read_file(text / "model.safetensors");
  const auto file = record::Safetensors::open(text / "model.safetensors");
  const auto& tensor = file.tensor("model.layers.1.self_attn.o_proj.weight");
  float value;
  std::memcpy(&value, tensor.bytes.data(), sizeof value);
  value += 0.01f;
  const auto* start = reinterpret_cast<const char*>(tensor.bytes.data());
  const auto place = bytes.find(std::string(start, 64));
  std::memcpy(bytes.data() + place, &value, sizeof value);
  write_file(text / "model.safetensors", bytes);
  const auto failed = failed_names(verify_text(text, {}));
  for (const char* name : {"right.logits", "right.logprobs", "left.logprobs", "grad_norms", "adamw.steps[0].first"})
    EXPECT_TRUE(failed.contains(name)) << name;
  EXPECT_FALSE(failed.contains("greedy.recorded"));
  EXPECT_FALSE(failed.contains("right.hidden_states[0]"));
  EXPECT_FALSE(failed.contains("right.hidden_states[1]"));
  EXPECT_TRUE(failed.contains("right.hidden_states[2]"));
}

// Each number of golden.json is checked: if one of each kind is changed, the check of that name fails.
TEST_F(Verify, FindsChangedNumbers) {
  const auto text = copy("text_tied");
  const auto add = [](json& number, double amount) { number = number.get<double>() + amount; };
  change(text / "golden.json", [&](json& g) {
    add(g["right"]["logprobs"][0][3], 3e-5);
    add(g["right"]["entropy"][1][2], 3e-5);
    add(g["right"]["logprobs_temperature_0_7"][2][20], 3e-5);
    add(g["left"]["logprobs"][0][22], 3e-5);
    add(g["loss"], 3e-5);
    add(g["loss_float64"], 3e-5);
    add(g["grad_norm"], 1e-3);
    add(g["grad_norms"]["model.layers.2.mlp.down_proj.weight"], 1e-4);
    add(g["adamw"]["steps"][0]["loss_before"], 3e-5);
    add(g["adamw"]["steps"][1]["parameters"]["model.norm.weight"]["first"][2], 2e-4);
    add(g["adamw"]["steps"][2]["parameters"]["model.norm.weight"]["sum"], 3e-3);
    add(g["adamw_clipped"]["grad_norm_before_clip"], 1e-3);
    g["adamw_clipped"]["not_decayed"].erase(g["adamw_clipped"]["not_decayed"].size() - 1);
    g["greedy"]["tokens"][1][5] = g["greedy"]["tokens"][1][5] == 7 ? 8 : 7;
    add(g["greedy"]["logprobs"][0][0], 3e-5);
    std::swap(g["greedy"]["top5_ids"][2][31][0], g["greedy"]["top5_ids"][2][31][4]);
    g["greedy_stop"]["eos_token_id"] = g["greedy"]["tokens"][1][0];
    add(g["top_logprobs"][3]["logprobs"][0][9], 3e-5);
  });
  EXPECT_EQ(failed_names(verify_text(text, {})),
            (std::set<std::string>{"right.logprobs", "right.entropy", "right.logprobs_temperature_0_7", "left.logprobs",
                                   "loss", "loss_float64", "grad_norm", "grad_norms", "adamw.steps[0].loss_before",
                                   "adamw.steps[1].first", "adamw.steps[2].parameters",
                                   "adamw_clipped.grad_norm_before_clip", "adamw_clipped.parameters", "greedy.tokens",
                                   "greedy.logprobs", "greedy.top5", "greedy_stop.tokens", "top_logprobs"}));
}

TEST_F(Verify, RunsWhatAFolderHoldsAndCountsFailures) {
  copy("text_bf16");
  fs::rename(folder / "text_bf16", folder / "any name");
  fs::create_directories(folder / "loss");
  write_file(folder / "loss" / "one.json", "{}");
  write_file(folder / "loss" / "golden.json", "{}");
  write_file(folder / "loss" / "config.json", R"({"model_type":"gpt2"})");
  write_file(folder / "notes.json", R"({"nothing":"here"})");
  write_file(folder / "vocab.json", R"({"order":1,"logits":2,"cases":3,"settings":4,"inputs":5,"outputs":6})");
  const auto sum = sha256_file(folder / "notes.json");
  write_file(folder / "SHA256SUMS", sum + "  notes.json\n");
  EXPECT_EQ(run(), 0) << output;
  EXPECT_NE(output.find("any name"), std::string::npos) << output;
  EXPECT_NE(output.find("no check yet for model_type gpt2: loss\n"), std::string::npos) << output;
  EXPECT_NE(output.find("2 cases, "), std::string::npos) << output;
  EXPECT_NE(output.find(" checks, 0 failed\n"), std::string::npos) << output;

  write_file(folder / "SHA256SUMS", sum + "  notes.json\n" + sum + "  gone.json\n" + sum + "  loss/one.json\n");
  EXPECT_EQ(run(true), 1);
  EXPECT_NE(output.find(R"({"case":"SHA256SUMS","check":"files","error":2.0,"tolerance":0.0,"passed":false,)"
                        R"("note":"gone.json is missing, loss/one.json differs"})"),
            std::string::npos)
      << output;
}

TEST_F(Verify, GoesOnAfterAFileThatCantBeRead) {
  copy("text_bf16");
  write_file(folder / "text_bf16" / "model.safetensors", "short");
  write_file(folder / "encode.json", "[{");
  write_file(folder / "SHA256SUMS", sha256_file(folder / "encode.json") + "  encode.json\n");
  EXPECT_EQ(run(), 4) << output;
  EXPECT_NE(output.find("encode.json: is not valid JSON"), std::string::npos) << output;
  EXPECT_NE(output.find("model.safetensors: is too short to be a safetensors file"), std::string::npos) << output;
  EXPECT_NE(output.find("3 cases, 1 checks, 2 failed\n"), std::string::npos) << output;
}

TEST_F(Verify, ATokenizerBesideAFileIsTheOneItWasMadeWith) {
  fs::copy(COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer/tokenizer.json", folder / "tokenizer.json");
  write_file(folder / "encode.json", R"([{"text": "<|im_end|>", "ids": [1017]}])");
  const auto checks = verify_tokenizer(folder / "encode.json", {golden_folder / "qwen2.5"});
  EXPECT_EQ(checks.size(), 3u);
  EXPECT_EQ(failures(checks), "");
}

TEST_F(Verify, NothingToCheckIsAnError) {
  try {
    run();
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains no reference files");
    EXPECT_EQ(error.help(), "their layout: tests/golden/README.md in the source of Compeer");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST_F(Verify, ReferencesThatLackAValueAreNamed) {
  const auto text = copy("text_bf16");
  change(text / "golden.json", [](json& g) { g["right"].erase("counted"); });
  try {
    verify_text(text, {});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), (text / "golden.json").string());
    EXPECT_NE(error.problem().find("key 'counted' not found"), std::string::npos) << error.problem();
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace

TEST(ReferenceFiles, AllHaveTheirSums) {
  std::set<std::string> there, named;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder)) {
    if (entry.is_regular_file()) there.insert(entry.path().lexically_relative(golden_folder).string());
  }
  std::ifstream sums(golden_folder / "SHA256SUMS");
  for (std::string sum, name; sums >> sum >> name;) named.insert(name);
  named.insert({"README.md", "SHA256SUMS"});
  EXPECT_EQ(there, named);
  EXPECT_EQ(failures(verify_sums(golden_folder / "SHA256SUMS", {})), "");
}

TEST(VerifyCheck, AnErrorThatIsNoNumberFails) {
  EXPECT_TRUE(check("a", 1e-5, 1e-5).passed);
  EXPECT_FALSE(check("a", 1.1e-5, 1e-5).passed);
  EXPECT_FALSE(check("a", std::nan(""), 1e-5).passed);
}

}  // namespace compeer::verify
