#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "../record/temporary_folder.h"
#include "places.h"
#include "plugin/search.h"
#include "spec/spec.h"
#include "train/run.h"

#ifndef COMPEER_TEST_PLUGINS
#define COMPEER_TEST_PLUGINS "/nowhere"  // folder of a test's own plugins
#endif

namespace compeer::train {

/// Returns the message of the Error that `f` throws, "where: problem\n  help: ...", or "nothing".
inline std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// Returns a dialogue as a line of a file for the dataset `prompts`. `texts`: turns of user and assistant; `reference`:
/// the expected answer, "" for none.
inline nlohmann::json said(const std::string& id, const std::vector<std::string>& texts, const std::string& reference,
                           const std::string& split = "train") {
  nlohmann::json turns = nlohmann::json::array();
  for (size_t i = 0; i < texts.size(); ++i)
    turns.push_back({{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", texts[i]}});
  nlohmann::json line{{"id", id}, {"messages", turns}, {"split", split}};
  if (!reference.empty()) line["reference"] = reference;
  return line;
}

/// A GRPO run of one rank in a temporary folder, as the worker begins it: with the plugins of this build, a model of
/// one layer and 80 positions, and a data set of the test's records.
class SmallRun {
 public:
  using Sets = std::vector<std::pair<std::string, nlohmann::json>>;  // such as {"grpo.batch", 2}

  /// `records`: lines of the data set; `sets`: changed settings; `answers`: folder of stored answers of chat models.
  explicit SmallRun(const std::vector<nlohmann::json>& records, const Sets& sets = {},
                    const std::optional<std::filesystem::path>& answers = std::nullopt)
      : spec_file_(spec_file(records, sets)),
        run{world, stop, spec_file_, folder.path(), Settings(spec_file_.at("spec")), {}, nullptr, nullptr} {
    run.plugins = std::make_unique<RunPlugins>(spec_file_, std::nullopt, stop, 0, answers);
  }

  const record::TemporaryFolder folder;
  comm::World world;
  comm::StopFlag stop;

 private:
  nlohmann::json spec_file(const std::vector<nlohmann::json>& records, const Sets& sets) const {
    std::ofstream file(folder / "records.jsonl");
    for (const auto& record : records) file << record.dump() << "\n";
    file.close();
    const std::string text =
        "name = \"small\"\ntask = \"grpo\"\n"
        "[model]\nplugin = \"qwen2\"\ntokenizer = \"" COMPEER_SOURCE_DIR
        "/plugins/datasets/esc_world/tokenizer\"\n"
        "config = { hidden_size = 16, num_hidden_layers = 1, num_attention_heads = 2, num_key_value_heads = 1, "
        "intermediate_size = 16, max_position_embeddings = 80 }\n"
        "[dataset]\nplugin = \"prompts\"\npath = \"" +
        (folder / "records.jsonl").string() +
        "\"\nvalid = 0\ntest = 0\n[[rewards]]\nplugin = \"length\"\ntarget = 4\n[sampling]\nmax_new_tokens = 8\n"
        "[grpo]\ngroup_size = 2\nbatch = 2\nsteps = 2\nlr = 1e-2\n";
    std::vector<spec::Change> changes;
    for (const auto& [path, value] : sets) changes.push_back({path, value, "test"});
    const auto draft = spec::with(spec::parse_toml(text, "small.toml"), changes);
    const plugin::Finder finder({std::filesystem::path(COMPEER_BINARY_DIR) / "plugins", COMPEER_TEST_PLUGINS});
    return nlohmann::json::parse(spec::resolve(draft, finder).file_text());
  }

  const nlohmann::json spec_file_;  // content of spec.json

 public:
  RunContext run;
};

/// Five short dialogues in the split train, one in valid.
inline std::vector<nlohmann::json> five_dialogues() {
  std::vector<nlohmann::json> all;
  for (const char* id : {"a", "b", "c", "d", "e"}) all.push_back(said(id, {"i feel sad today"}, "tell me more"));
  all.push_back(said("v", {"my friend left"}, "i see", "valid"));
  return all;
}

}  // namespace compeer::train
