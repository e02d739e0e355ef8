#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "spec/catalog.h"

namespace compeer::spec {

/// A catalog of plugins without shared libraries: only names, versions and settings.
class FakeCatalog : public Catalog {
 public:
  FakeCatalog() {
    add("models", "qwen2", R"({
      "path": {"type": "path", "default": null, "help": "a Hugging Face folder"},
      "config": {"type": "table", "default": null, "parameters": {
        "hidden_size": {"type": "integer", "min": 1},
        "rope_theta": {"type": "number", "default": 10000.0, "above": 0},
        "tie_word_embeddings": {"type": "boolean", "default": true}}}})");
    add("datasets", "esc_world", R"({"ambiguity": {"type": "number", "default": 0.15, "min": 0, "max": 1}})");
    add("datasets", "files", R"({"files": {"type": "list", "items": "path", "min": 1}})");
    add("rewards", "format", "{}");
    add("rewards", "length", R"({
      "target": {"type": "integer", "default": 400, "min": 1},
      "unit": {"type": "string", "default": "characters", "choices": ["characters", "tokens"]}})");
    add("reweighting", "none", "{}");
    add("reweighting", "redundancy", R"({
      "alpha": {"type": "number", "default": 0.5, "min": 0},
      "bands": {"type": "list", "items": "number", "default": [1, 2]},
      "mode": {"type": "string", "default": "paper", "choices": ["paper", "signed"]}})");
    add("reweighting", "dra", R"({"similarity": {"type": "plugin", "kind": "similarity", "default": "ngrams"}})");
    add("similarity", "ngrams", R"({"n_max": {"type": "integer", "default": 2, "min": 1}})");
    add("similarity", "encoder", R"({"path": {"type": "path"}, "batch": {"type": "integer", "default": 8}})");
  }

  /// Adds a plugin; `parameters`: descriptions of its settings, as JSON.
  void add(const std::string& kind, const std::string& name, const std::string& parameters) {
    plugins_.push_back({kind, name, "1.0.0", "/plugins/" + kind + "/" + name + ".so", std::string(64, '0'),
                        parse_schema(nlohmann::ordered_json::parse(parameters))});
  }
  /// Adds a plugin that `find` refuses with an Error.
  void add_broken(const std::string& kind, const std::string& name) {
    plugins_.push_back({kind, name, "", "/plugins/" + kind + "/" + name + ".so", "", {}});
  }

  std::vector<std::string> names(const std::string& kind) const override {
    std::vector<std::string> all;
    for (const auto& plugin : plugins_) {
      if (plugin.kind == kind) all.push_back(plugin.name);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  PluginInfo find(const std::string& kind, const std::string& name) const override {
    for (const auto& plugin : plugins_) {
      if (plugin.kind != kind || plugin.name != name) continue;
      if (plugin.version.empty()) throw Error(plugin.path, "is not a shared library", "build it again", Exit::plugin);
      return plugin;
    }
    throw std::logic_error("asked for a plugin that was not listed");
  }

 private:
  std::vector<PluginInfo> plugins_;
};

/// Returns the text of the smallest complete experiment, x.toml, with `more` from its line 8 on.
inline std::string smallest(const std::string& more = "") {
  return "name = \"x\"\n"
         "task = \"grpo\"\n"
         "[dataset]\n"
         "plugin = \"esc_world\"\n"
         "[[rewards]]\n"
         "plugin = \"format\"\n"
         "[grpo]\n" +
         more;
}

/// Returns "where|problem|help|exit code" of the Error that `action` throws; "" if it throws none.
template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.where() + "|" + error.problem() + "|" + error.help() + "|" +
           std::to_string(static_cast<int>(error.exit()));
  }
  return "";
}

/// Expectation that a text begins like this; prints the text on failure: EXPECT_TRUE(starts(text, "x.toml:1|")).
inline testing::AssertionResult starts(const std::string& text, const std::string& beginning) {
  if (text.starts_with(beginning)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << text.substr(0, 400) << "\" does not start with \"" << beginning << '"';
}

}  // namespace compeer::spec
