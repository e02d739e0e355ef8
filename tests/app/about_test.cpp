// compeer about: facts of tests/golden/llama and of an adapter, counted by hand from their headers.
#include <nlohmann/json.hpp>

#include "../program.h"
#include "places.h"

namespace compeer::app {
namespace {

using nlohmann::json;

const std::string golden = COMPEER_SOURCE_DIR "/tests/golden";

class About : public Program {
 protected:
  json facts(const std::string& folder) {
    const auto text = told("about " + folder + " --json");
    return json::parse(text.substr(0, text.find('\n')));
  }
};

// 2 layers, 2 heads of keys of 24: 2 * 4 bytes * 2 * 2 * 24 for a token's keys and values.
TEST_F(About, CountsParametersAndBytes) {
  const auto found = facts(golden + "/llama");
  EXPECT_EQ(found.at("model_type"), "llama");
  EXPECT_EQ(found.at("parameters"), 118080);
  EXPECT_EQ(found.at("types"), json({"F32"}));
  EXPECT_EQ(found.at("head_dim"), 24);
  EXPECT_EQ(found.at("context"), 512);
  const json& memory = found.at("memory");
  EXPECT_EQ(memory.at("serve"), 0.15e9 + 471040);
  EXPECT_EQ(memory.at("token_of_context"), 768);
  EXPECT_EQ(memory.at("train_whole"), 0.15e9 + 28 * 118080);
  EXPECT_EQ(memory.at("adapter_parameters"), 37376);
  EXPECT_EQ(memory.at("train_adapter"), 0.15e9 + 471040 + 28 * 37376);
  EXPECT_EQ(memory.at("token_of_training"), 8192);
}

TEST_F(About, NamesAnAdaptersBase) {
  const auto found = facts(golden + "/lora/adapter_all");
  EXPECT_EQ(found.at("adapter").at("rank"), 4);
  EXPECT_EQ(found.at("adapter").at("parameters"), 6528);
  EXPECT_EQ(found.at("base"), golden + "/lora/base");
  EXPECT_EQ(found.at("model_type"), "qwen2");
}

TEST_F(About, ReadsWell) {
  const auto text = told("about " + golden + "/lora/adapter_rslora");
  EXPECT_NE(text.find("adapter     rank 3, alpha 6 (rslora), 0.0 million parameters, of q_proj, v_proj\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\ntokenizer   none: "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

TEST_F(About, RefusesAFolderThatHoldsNoModel) {
  EXPECT_EQ(told("about " + folder().string()),
            "compeer: error: " + folder().string() +
                ": has no config.json\n  help: a model folder has the layout that transformers writes\nexit 4");
  write("m.gguf", "GGUF....");
  EXPECT_EQ(told("about " + folder().string()),
            "compeer: error: " + folder().string() +
                ": has no config.json\n  help: import its GGUF file: compeer import " + (folder() / "m.gguf").string() +
                " -o models/m\nexit 4");
  EXPECT_EQ(told("about m.gguf"),
            "compeer: error: m.gguf: is a GGUF file, not a model folder\n"
            "  help: import it: compeer import m.gguf -o models/m\nexit 4");
  EXPECT_EQ(told("about " + golden + "/llama/config.json"), "compeer: error: " + golden +
                                                                "/llama/config.json: is a file, not a model folder\n"
                                                                "  help: name the folder of its config.json: " +
                                                                golden + "/llama\nexit 4");
  write("config.json", "{}");
  EXPECT_EQ(told("about config.json"),
            "compeer: error: config.json: is a file, not a model folder\n"
            "  help: name the folder of its config.json: .\nexit 4");
  std::filesystem::create_directory_symlink("around", folder() / "around");
  EXPECT_EQ(told("about around"), "compeer: error: around: can't be read: Too many levels of symbolic links\nexit 4");
  EXPECT_EQ(told("about Qwen/Qwen2.5-0.5B-Instruct"),
            "compeer: error: Qwen/Qwen2.5-0.5B-Instruct: there is no such folder\n"
            "  help: to use the Hugging Face Hub's model: hf download Qwen/Qwen2.5-0.5B-Instruct --local-dir "
            "models/Qwen2.5-0.5B-Instruct, then name models/Qwen2.5-0.5B-Instruct\nexit 4");
}

}  // namespace
}  // namespace compeer::app
