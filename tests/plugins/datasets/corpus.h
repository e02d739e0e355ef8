#pragma once
#include <unistd.h>

#include <fstream>

#include "built.h"
#include "compeer/dataset.h"

namespace compeer {

/// Fixture that opens corpora from files that the test writes.
class CorpusTest : public testing::Test {
 protected:
  using Path = std::filesystem::path;
  using json = nlohmann::json;

  CorpusTest() : folder_(Path(testing::TempDir()) / ("corpus_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CorpusTest() override { std::filesystem::remove_all(folder_); }

  /// Writes a file below the temporary folder; returns its path.
  Path write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  /// Opens a corpus: `plugin` reads the file or folder `path`.
  static plugin::Plugin<Dataset> open(const std::string& plugin, const Path& path, json settings = json::object()) {
    settings["path"] = path.string();
    return built::open<Dataset>(plugin, settings);
  }

  /// Return all examples of a corpus, split by split.
  static std::vector<Example> all(plugin::Plugin<Dataset>& dataset,
                                  const std::vector<std::string>& splits = {"train", "valid", "test"}) {
    std::vector<Example> examples;
    for (const auto& split : splits) {
      const int64_t size = dataset.object().size(split);
      for (int64_t i = 0; i < size; ++i) examples.push_back(dataset.object().get(split, i));
    }
    return examples;
  }
  static std::vector<Example> all(const std::string& plugin, const Path& path, const json& settings = json::object()) {
    auto dataset = open(plugin, path, settings);
    return all(dataset);
  }

  /// Returns the history as "user: hi|assistant: hello|".
  static std::string told(const Example& example) {
    std::string text;
    for (const Turn& turn : example.history) text += turn.role + ": " + turn.text + "|";
    return text;
  }

  /// Returns the error of opening a corpus with its exit code, or "opened".
  static std::string refused(const std::string& plugin, const Path& path, const json& settings = json::object()) {
    try {
      open(plugin, path, settings);
    } catch (const Error& error) {
      return error.what() + std::string(" (exit ") + std::to_string(static_cast<int>(error.exit())) + ")";
    }
    return "opened";
  }

  const Path& folder() const { return folder_; }

 private:
  Path folder_;
};

}  // namespace compeer
