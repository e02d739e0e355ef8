// compeer verify --model: comparison with reference values of models outside the repository.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <set>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "places.h"
#include "tools/verify/verify.h"
#include "tools/verify/vl.h"

namespace compeer::verify {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden";
const fs::path model_file = golden_folder / "gguf/model.gguf",
               reference_file = golden_folder / "pretrained/golden.json";

class Pretrained : public testing::Test {
 protected:
  Pretrained() { ::setenv("COMPEER_PLUGIN_PATH", COMPEER_BINARY_DIR "/plugins", 1); }

  // Returns the output of `verify` for a folder with reference values, and its exit code.
  std::string told(const json& models) {
    testing::internal::CaptureStdout();
    try {
      const int exit =
          verify({{"folder", scratch.folder().string()}, {"tokenizer", ""}, {"models", models}, {"json", false}});
      return testing::internal::GetCapturedStdout() + "exit " + std::to_string(exit);
    } catch (const Error& error) {
      testing::internal::GetCapturedStdout();
      return std::string(error.what()) + "\nexit " + std::to_string(static_cast<int>(error.exit()));
    }
  }

  fs::path write(const std::string& name, const json& golden) {
    fs::create_directories(scratch.folder() / name);
    write_file(scratch.folder() / name / "golden.json", golden.dump());
    return scratch.folder() / name / "golden.json";
  }

  Scratch scratch;
};

std::string failures(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks)
    if (!check.passed) text += check.name + " " + std::to_string(check.error) + " " + check.note + "\n";
  return text;
}

std::set<std::string> failed_names(const std::vector<Check>& checks) {
  std::set<std::string> names;
  for (const Check& check : checks)
    if (!check.passed) names.insert(check.name);
  return names;
}

TEST_F(Pretrained, PassesAgainstTransformers) {
  const auto checks = verify_pretrained(reference_file, {"", {{"pretrained", model_file}}});
  EXPECT_EQ(failures(checks), "");
  std::set<std::string> names;
  for (const Check& check : checks) names.insert(check.name);
  for (const char* name : {"config", "weights.sums", "weights.first", "encode.ids", "chat.ids", "continuations.ids",
                           "continuations.logprobs", "continuations.sums", "continuations.top5", "greedy.tokens",
                           "greedy.text", "greedy.logprobs", "greedy.recorded", "greedy_batch.tokens"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(Pretrained, FindsWhatIsChanged) {
  json golden = read_json_object(reference_file);
  golden["config"]["rope_theta"] = 10000;
  golden["weights"][4]["sum"] = 3.0;
  golden["encode"][0]["ids"][1] = 9;
  golden["continuations"][1]["logprobs_float64"][0] = -1.0;
  golden["continuations"][2]["top5_logprobs"][4] = -1.0;
  golden["greedy"]["cases"][0]["tokens"][3] = 4;
  golden["greedy_batch"]["text"][2] = "no";
  const auto file = write("other", golden);
  EXPECT_EQ(failed_names(verify_pretrained(file, {"", {{"other", model_file}}})),
            (std::set<std::string>{"config", "weights.sums", "encode.ids", "encode.decoded", "continuations.logprobs",
                                   "continuations.top5", "greedy.tokens", "greedy.text", "greedy_batch.text"}));
}

TEST_F(Pretrained, ReadsAFolderWithAGgufFile) {
  fs::create_directories(scratch.folder() / "package");
  fs::copy(model_file, scratch.folder() / "package/model.gguf");
  const auto checks = verify_pretrained(reference_file, {"", {{"pretrained", scratch.folder() / "package"}}});
  EXPECT_EQ(failures(checks), "");
}

TEST_F(Pretrained, AsksForModelsByName) {
  write("small", read_json_object(reference_file));
  EXPECT_EQ(told(json::object()), scratch.folder().string() +
                                      ": contains reference values of models in other folders\n  help: name their "
                                      "folders: --model small=DIR\nexit 4");
  EXPECT_EQ(told({{"smal", model_file.string()}}),
            "--model: no reference file requires a model 'smal'\n  help: use one of: small\nexit 2");
  const auto text = told({{"small", model_file.string()}});
  EXPECT_NE(text.find("1 cases, "), text.npos) << text;
  EXPECT_TRUE(text.ends_with(", 0 failed\nexit 0")) << text;
}

TEST_F(Pretrained, RefusesAFolderWithoutAModel) {
  fs::create_directories(scratch.folder() / "empty");
  try {
    verify_pretrained(reference_file, {"", {{"pretrained", scratch.folder() / "empty"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              (scratch.folder() / "empty").string() +
                  ": contains no model\n  help: name a folder with config.json, or a GGUF file");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

// Reference values of transformers for the small model of tests/golden/bert, in the layout of a published encoder's
// file.
json sentences() {
  const json rows = read_json_object(golden_folder / "bert/embeddings.json").at("texts");
  json golden{{"max_seq_length", 512}, {"sentences", json::array()}, {"wordpiece", json::array()}, {"cosine", {}}};
  for (const json& row : rows) {
    golden["sentences"].push_back({{"text", row.at("text")}, {"ids", row.at("ids")}});
    golden["wordpiece"].push_back({{"text", row.at("text")}, {"ids", row.at("ids")}});
    json cosines;
    for (const json& other : rows) {
      const auto a = row.at("mean").get<std::vector<double>>(), b = other.at("mean").get<std::vector<double>>();
      double ab = 0, aa = 0, bb = 0;
      for (size_t i = 0; i < a.size(); ++i) ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
      cosines.push_back(ab / std::sqrt(aa * bb));
    }
    golden["cosine"].push_back(cosines);
  }
  return golden;
}

TEST_F(Pretrained, ComparesSentencesAndTheirCosines) {
  json golden = sentences();
  const VerifyOptions options{"", {{"encoder", golden_folder / "bert"}}};
  EXPECT_EQ(failures(verify_sentences(write("encoder", golden), options)), "");
  golden["cosine"][1][2] = 0.5;
  golden["sentences"][0]["ids"][1] = 5;
  EXPECT_EQ(failed_names(verify_sentences(write("encoder", golden), options)),
            (std::set<std::string>{"cosine", "sentences.ids"}));
}

// compeer verify: classification scores, agreement of annotators, correlations.

const fs::path metrics = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/metrics";

class VerifyMetrics : public testing::Test {
 protected:
  VerifyMetrics() { fs::create_directories(folder_); }
  ~VerifyMetrics() override { fs::remove_all(folder_); }

  // Writes an edited copy of a reference file.
  fs::path changed(const std::string& name, const std::function<void(json&)>& edit) {
    json value = json::parse(read_file(metrics / name));
    edit(value);
    write_file(folder_ / name, value.dump());
    return folder_ / name;
  }
  static std::string failed(const std::vector<Check>& checks) {
    std::string names;
    for (const auto& check : checks) names += check.passed ? "" : check.name + " ";
    return names;
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("verify_metrics_" + std::to_string(::getpid()));
};

TEST_F(VerifyMetrics, PassesReferenceFiles) {
  const auto classification = verify_classification(metrics / "classification.json", {});
  EXPECT_EQ(failed(classification), "");
  EXPECT_EQ(classification.size(), 16u);
  const auto agreement = verify_agreement(metrics / "agreement.json", {});
  EXPECT_EQ(failed(agreement), "");
  EXPECT_EQ(agreement.size(), 5u);
  EXPECT_EQ(failed(verify_correlation(metrics / "correlation.json", {})), "");
  const auto kmeans = verify_kmeans(metrics / "kmeans.json", {});
  EXPECT_EQ(failed(kmeans), "");
  EXPECT_EQ(kmeans.size(), 5u);
}

TEST_F(VerifyMetrics, KnowsFilesByTheirContent) {
  for (const auto& one : find_cases(metrics)) {
    EXPECT_EQ(one.name, one.kind + ".json");
    EXPECT_TRUE(one.checker);
  }
}

TEST_F(VerifyMetrics, FindsChangedNumbers) {
  const auto file = changed("agreement.json", [](json& g) {
    g["cohen"][1]["linear"] = 0.51077;
    g["fleiss"][0]["kappa"] = nullptr;
  });
  EXPECT_EQ(failed(verify_agreement(file, {})), "cohen, linear fleiss ");
  const auto scores = changed("classification.json", [](json& g) { g["multiclass"][2]["confusion"][0][1] = 99; });
  EXPECT_EQ(failed(verify_classification(scores, {})), "confusion ");
}

TEST_F(VerifyMetrics, NamesFilesThatAreNotWhatTheyShouldBe) {
  const auto problem = [](const fs::path& file, Checker checker) {
    try {
      checker(file, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.where() + " " + error.problem();
    }
    return std::string();
  };
  auto file = changed("agreement.json", [](json& g) { g["cohen"][0]["first"][0] = 2; });
  EXPECT_EQ(problem(file, verify_agreement),
            file.string() + " contains a label out of range, or lists of different lengths");
  file = changed("correlation.json", [](json& g) { g[0].erase("y"); });
  EXPECT_TRUE(problem(file, verify_correlation).starts_with(file.string() + " is not a valid reference file: "));
  file = changed("classification.json", [](json& g) { g["multiclass"][1]["truth"][0] = "Maybe"; });
  EXPECT_EQ(problem(file, verify_classification), "labels lack \"Maybe\"");
}

// A small Qwen2.5-VL model compared with transformers: tests/golden/vl.

TEST(VerifyVl, AgreesWithTransformersOnAllThatTheFilesHold) {
  ::setenv("COMPEER_PLUGIN_PATH", COMPEER_BINARY_DIR "/plugins", 1);
  const auto checks = verify_vl(std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/vl", {});
  EXPECT_GE(checks.size(), 100u);
  for (const Check& one : checks)
    EXPECT_TRUE(one.passed) << one.name << ": " << one.error << " > " << one.tolerance << " " << one.note;
}

}  // namespace
}  // namespace compeer::verify
