// Reads the files of a tokenizer folder, including those of older tokenizers without tokenizer.json.
#include "language/tokenizer_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "language/tokenizer_json.h"

namespace compeer::language {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char* roles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                 "pad_token", "cls_token", "mask_token"};

Json read_if_there(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  Json read = read_strict_json<Json>(file);
  if (!read.is_object()) throw Error(file.string(), "is not a JSON object", "", Exit::data);
  return read;
}

std::string text_of(const Json& token) {
  if (token.is_object()) return token.value("content", "");
  return token.is_string() ? token.get<std::string>() : "";
}

// "#version" is a header only in the first line: merges may begin with "#", too.
std::vector<BytePairs::Pair> read_merges(const fs::path& file) {
  const std::string text = read_plain_file(file, largest_table);
  std::vector<BytePairs::Pair> merges;
  size_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      throw Error(fmt::format("{}:{}", file.string(), number), "is not a merge of two tokens", "", Exit::data);
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

// Sets up the pre-tokenizer of a tokenizer in two tables, which do not contain it, from its class.
void split_as_class(const fs::path& folder, const Json& config, TokenizerFiles& into) {
  const auto file = folder / "tokenizer_config.json";
  std::string name = config.value("tokenizer_class", "");
  if (name.empty()) {
    const auto type = read_if_there(folder / "config.json").value("model_type", "");
    name = type == "qwen2" || type == "qwen2_5_vl" ? "Qwen2Tokenizer" : type == "gpt2" ? "GPT2Tokenizer" : "";
  }
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  if (config.value("add_prefix_space", false)) into.pre_tokenizer.add(Metaspace{" "});
  if (name == "Qwen2Tokenizer") {
    into.normal_form.add_nfc();
    into.pre_tokenizer.add(Splitter(qwen2_pattern, file.string()));
  } else if (name == "GPT2Tokenizer") {
    into.pre_tokenizer.add(Splitter(byte_level_pattern, file.string()));
    into.roles["eos_token"] = "<|endoftext|>";
  } else {
    throw Error(file.string(),
                name.empty() ? "has no tokenizer_class" : "tokenizer_class '" + name + "' is not supported",
                "add a tokenizer.json, which defines how words are split, or set tokenizer_class to Qwen2Tokenizer or "
                "GPT2Tokenizer",
                Exit::data);
  }
}

// Adds tokens of the config that the tokenizer does not have yet; new ones get the next free ids.
class ConfigTokens {
 public:
  explicit ConfigTokens(TokenizerFiles& into) : into_(into), next_(into.vocabulary.size()) {
    for (const auto& token : into.added) note(token);
  }

  void add(AddedToken token) {
    if (known_.contains(token.text)) return;
    if (const int32_t id = into_.vocabulary.id(token.text); id >= 0) token.id = id;
    if (token.id < 0) token.id = next_;
    note(token);
    into_.added.push_back(std::move(token));
  }
  void add(const std::string& special) {
    AddedToken token;
    token.text = special;
    token.special = true;
    if (!special.empty()) add(std::move(token));
  }

 private:
  void note(const AddedToken& token) {
    known_.insert(token.text);
    next_ = std::max(next_, token.id + 1);
  }

  TokenizerFiles& into_;
  std::unordered_set<std::string> known_;
  int64_t next_;
};

int64_t id_of(const std::string& text, const std::string& where) {
  if (text.empty() || text.size() > 10 || text.find_first_not_of("0123456789") != std::string::npos)
    throw Error(where, "added_tokens_decoder has the id '" + text.substr(0, 100) + "'", "use whole numbers as ids",
                Exit::data);
  return std::stoll(text);
}

void read_config(const Json& config, const std::string& where, TokenizerFiles& into) {
  ConfigTokens tokens(into);
  if (config.contains("added_tokens_decoder")) {
    for (const auto& [id, token] : config.at("added_tokens_decoder").items())
      tokens.add(added_token(token, id_of(id, where), where));
  }
  for (const char* role : roles) {
    if (!config.contains(role)) continue;
    if (const auto text = text_of(config.at(role)); !text.empty()) into.roles[role] = text;
  }
  for (const auto& [role, text] : into.roles) tokens.add(text);
  for (const char* list : {"additional_special_tokens", "extra_special_tokens"}) {
    if (!config.contains(list)) continue;
    for (const Json& token : config.at(list)) tokens.add(text_of(token));
  }
}

}  // namespace

TokenizerFiles read_tokenizer_files(const fs::path& folder) {
  TokenizerFiles files;
  const auto config_file = folder / "tokenizer_config.json";
  Json config = read_if_there(config_file);
  const Json map = read_if_there(folder / "special_tokens_map.json");
  for (const auto& [name, value] : map.items()) {
    if (!config.contains(name)) config[name] = value;
  }
  try {
    if (files.file = folder / "tokenizer.json"; fs::exists(files.file)) {
      read_tokenizer_json(files.file, files);
    } else if (files.file = folder / "vocab.json"; fs::exists(files.file)) {
      files.vocabulary = Vocabulary(read_vocabulary(files.file), files.file.string());
      files.merges = read_merges(folder / "merges.txt");
      split_as_class(folder, config, files);
    } else {
      const auto model = folder / "checkpoints/last";
      throw Error(folder.string(), "contains no tokenizer",
                  fs::exists(model) ? "the newest model of this run is in " + model.string()
                                    : "add tokenizer.json, or vocab.json and merges.txt",
                  Exit::data);
    }
    read_config(config, config_file.string(), files);
  } catch (const Json::exception& e) {
    throw Error(config_file.string(), fmt::format("has unexpected contents: {}", std::string(e.what()).substr(0, 300)),
                "", Exit::data);
  }
  return files;
}

}  // namespace compeer::language
