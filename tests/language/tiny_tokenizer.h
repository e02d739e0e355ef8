#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "language/tokenizer.h"
#include "language/vocabulary.h"

namespace compeer::language {

// Fixture with a temporary folder for a byte-level tokenizer: the 256 bytes ("a" is token 64, "b" 65, ...) and a few
// more tokens.
class TinyTokenizer : public testing::Test {
 protected:
  TinyTokenizer() : folder_(testing::TempDir() + "tokenizer-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~TinyTokenizer() override { std::filesystem::remove_all(folder_); }

  // Returns the content of tokenizer.json. The vocabulary has the bytes in the order of GPT-2's (printable ones first),
  // then `more` from id 256 on; `model` has further keys of the object "model".
  static nlohmann::json whole(const nlohmann::json& model = nlohmann::json::object(),
                              const std::vector<std::string>& more = {}) {
    nlohmann::json vocabulary = nlohmann::json::object();
    std::vector<std::string> tokens;
    for (int b = 0; b < 256; ++b) tokens.push_back(spell_bytes(std::string(1, static_cast<char>(b))));
    std::sort(tokens.begin(), tokens.end());
    tokens.insert(tokens.end(), more.begin(), more.end());
    for (size_t id = 0; id < tokens.size(); ++id) vocabulary[tokens[id]] = id;
    nlohmann::json file = {{"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                           {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}}};
    file["model"].update(model);
    return file;
  }

  void write_file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  // Write the two files of a tokenizer: tokenizer.json and tokenizer_config.json.
  void write(const nlohmann::json& file) { write_file("tokenizer.json", file.dump()); }
  void config(const nlohmann::json& file) { write_file("tokenizer_config.json", file.dump()); }
  Tokenizer load() const { return Tokenizer::load(folder_); }
  const std::filesystem::path& folder() const { return folder_; }

  // Returns the error of loading, as text.
  std::string message() const {
    try {
      load();
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::data);
      return e.what();
    }
    return "";
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace compeer::language
