// Converts a byte-level BPE tokenizer from GGUF metadata to the JSON files of Hugging Face's library `tokenizers`.
#include "gguf/vocabulary_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "gguf/cursor.h"

namespace compeer::gguf {

namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;

// Token types with the numbers of llama.cpp.
enum class TokenType { undefined, normal, unknown, control, user_defined, unused, byte };

// A pre-tokenizer: how text is split into words before BPE. Each regular expression splits the pieces of the one before
// it; every match is a piece.
struct WordRule {
  const char* pre;  // metadata tokenizer.ggml.pre
  std::array<const char*, 2> splits;
  bool whole_words = false;  // a word in the vocabulary is one token regardless of merges (`ignore_merges`)
  bool begins = false;       // default of add_bos_token: put the beginning-of-text token before every text
};

constexpr const char* gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr WordRule rules[] = {
    {"gpt-2", {gpt2}},
    {"smollm", {R"(\p{N})", gpt2}},
    {"llama-bpe", {llama3}, true, true},
    {"qwen2", {qwen2}},
};

const WordRule& word_rule(const MetadataReader& metadata) {
  if (const auto model = metadata.text("tokenizer.ggml.model"); model != "gpt2")
    metadata.refuse(fmt::format("has a tokenizer of the kind '{}'{}, which is not supported", sanitized(model),
                                model == "llama" ? " (SentencePiece)" : ""),
                    "use a model with byte-level BPE (kind 'gpt2')");
  const auto pre = metadata.text("tokenizer.ggml.pre");
  std::string known;
  for (const WordRule& rule : rules) {
    if (pre == rule.pre) return rule;
    known += (known.empty() ? "" : ", ") + std::string(rule.pre);
  }
  metadata.refuse("splits words by the rule '" + sanitized(pre) + "' (tokenizer.ggml.pre), which is not supported",
                  "known: " + known);
}

// Tokens with their types, and the merges. The constructor throws Error if they are inconsistent.
class VocabularyTables {
 public:
  explicit VocabularyTables(const GgufFile& file) : metadata_(file.reader()) {
    const json& tokens = metadata_.list("tokenizer.ggml.tokens");
    if (tokens.empty() || tokens.size() > INT32_MAX) metadata_.refuse("metadata 'tokenizer.ggml.tokens' is empty");
    for (const json& token : tokens) add(token);
    read_types();
    read_merges();
  }

  size_t size() const { return texts_.size(); }
  const std::string& text(size_t id) const { return *texts_[id]; }
  TokenType type(size_t id) const { return types_.empty() ? TokenType::normal : types_[id]; }
  bool left_out(size_t id) const { return type(id) == TokenType::unused && !merged_[id]; }
  const json& merges() const { return *merges_; }

 private:
  void add(const json& token) {
    const size_t id = texts_.size();
    if (!token.is_string()) metadata_.refuse(fmt::format("token {} is not a string", id));
    texts_.push_back(token.get_ptr<const std::string*>());
    const auto [place, is_new] = ids_.emplace(*texts_.back(), id);
    if (!is_new)
      metadata_.refuse(fmt::format("tokens {} and {} are both '{}'", place->second, id, sanitized(text(id))));
  }

  void read_types() {
    merged_.resize(size());
    const char* key = "tokenizer.ggml.token_type";
    if (!metadata_.has(key)) return;
    const json& types = metadata_.list(key);
    if (types.size() != size()) metadata_.refuse(fmt::format("has {} tokens, but types of {}", size(), types.size()));
    for (const json& type : types) {
      if (!type.is_number_integer() || type < 0 || type > static_cast<int>(TokenType::byte))
        metadata_.refuse(fmt::format("token {} is of the unknown type {}", types_.size(), sanitized(type.dump())));
      types_.push_back(static_cast<TokenType>(type.get<int>()));
    }
  }

  // A merge is "FIRST SECOND": both and their concatenation must be tokens.
  void read_merges() {
    merges_ = &metadata_.list("tokenizer.ggml.merges");
    size_t number = 0;
    for (const json& merge : *merges_) {
      ++number;
      if (!merge.is_string()) metadata_.refuse(fmt::format("merge {} is not a string", number));
      const std::string_view pair = merge.get_ref<const std::string&>();
      const size_t space = pair.find(' ');
      if (space == pair.npos || pair.find(' ', space + 1) != pair.npos)
        metadata_.refuse(fmt::format("merge {}, '{}', is not a pair of tokens", number, sanitized(pair)));
      const std::string first(pair.substr(0, space)), second(pair.substr(space + 1));
      for (const std::string& token : {first, second, first + second}) {
        const auto found = ids_.find(token);
        if (found == ids_.end())
          metadata_.refuse(fmt::format("merge {}, '{}', requires the token '{}', which does not exist", number,
                                       sanitized(pair), sanitized(token)));
        merged_[found->second] = true;
      }
    }
  }

  MetadataReader metadata_;
  std::vector<const std::string*> texts_;  // by token id; point into the file's metadata
  std::vector<TokenType> types_;           // by token id; empty: all are normal
  std::vector<bool> merged_;               // by token id: takes part in a merge
  std::unordered_map<std::string_view, size_t> ids_;
  const json* merges_ = nullptr;
};

json pre_tokenizer(const WordRule& rule) {
  json steps = json::array();
  for (const char* expression : rule.splits) {
    if (expression)
      steps.push_back(
          {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}, {"invert", false}});
  }
  steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}});
  return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

// Returns the id of the special token with this role, "bos" -> tokenizer.ggml.bos_token_id; -1 if it has none.
int64_t role_id(const MetadataReader& metadata, const std::string& role, int64_t tokens) {
  return metadata.whole("tokenizer.ggml." + role + "_token_id", 0, tokens - 1, -1);
}

// Returns the post-processor, which puts the beginning and end tokens around a text if the encoder's caller asks for
// special tokens.
json post_processor(const json& config) {
  json byte_level{{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", false}, {"use_regex", true}};
  const auto added = [&](const char* role) { return config.at(std::string("add_") + role + "_token") == true; };
  if (!added("bos") && !added("eos")) return byte_level;
  json single = json::array(), pair = json::array(), tokens = json::object();
  const auto put = [&](const char* role, const char* type, std::initializer_list<json*> lists) {
    if (!added(role)) return;
    const json& text = config.at(std::string(role) + "_token");
    for (json* list : lists) list->push_back({{"SpecialToken", {{"id", text}, {"type_id", *type - 'A'}}}});
    tokens[text.get<std::string>()] = {
        {"id", text}, {"ids", json::array({config.at(std::string("_") + role)})}, {"tokens", json::array({text})}};
  };
  const auto sequence = [](const char* name) { return json{{"Sequence", {{"id", name}, {"type_id", *name - 'A'}}}}; };
  put("bos", "A", {&single, &pair});
  for (json* list : {&single, &pair}) list->push_back(sequence("A"));
  put("eos", "A", {&single, &pair});
  put("bos", "B", {&pair});
  pair.push_back(sequence("B"));
  put("eos", "B", {&pair});
  const json added_tokens{
      {"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", tokens}};
  return {{"type", "Sequence"}, {"processors", {byte_level, added_tokens}}};
}

json added_tokens(const VocabularyTables& tables) {
  json added = json::array();
  for (size_t id = 0; id < tables.size(); ++id) {
    const auto type = tables.type(id);
    const bool special = type == TokenType::control || type == TokenType::unknown;
    if (!special && type != TokenType::user_defined) continue;
    added.push_back({{"id", id},
                     {"content", tables.text(id)},
                     {"special", special},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false}});
  }
  return added;
}

json model(const VocabularyTables& tables, const WordRule& rule) {
  json vocabulary = json::object();
  for (size_t id = 0; id < tables.size(); ++id) {
    if (!tables.left_out(id)) vocabulary[tables.text(id)] = id;
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", rule.whole_words},
          {"vocab", std::move(vocabulary)},
          {"merges", tables.merges()}};
}

json tokenizer(const VocabularyTables& tables, const WordRule& rule, const json& post_processor) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added_tokens(tables)},
          {"normalizer", nullptr},
          {"pre_tokenizer", pre_tokenizer(rule)},
          {"post_processor", post_processor},
          {"decoder", {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}}},
          {"model", model(tables, rule)}};
}

// Returns the chat template: a string, or a list of named templates; null if there is none.
json chat_template(const MetadataReader& metadata) {
  constexpr const char *one = "tokenizer.chat_template", *names = "tokenizer.chat_templates";
  if (!metadata.has(names)) return metadata.has(one) ? json(metadata.text(one)) : json();
  json templates = json::array();
  if (metadata.has(one)) templates.push_back({{"name", "default"}, {"template", metadata.text(one)}});
  for (const json& name : metadata.list(names)) {
    if (!name.is_string()) metadata.refuse(std::string("metadata '") + names + "' is not a list of strings");
    const auto text = name.get<std::string>();
    if (text == "default" && metadata.has(one)) continue;
    templates.push_back({{"name", text}, {"template", metadata.text(one + ("." + text))}});
  }
  return templates;
}

struct RoleName {
  const char *in_gguf, *in_config;
};
constexpr RoleName roles[] = {{"bos", "bos"},       {"eos", "eos"}, {"unknown", "unk"}, {"padding", "pad"},
                              {"seperator", "sep"}, {"cls", "cls"}, {"mask", "mask"}};  // GGUF spells it "seperator"

// Returns the contents of tokenizer_config.json, and in addition the ids of special tokens as "_bos", "_eos" etc.,
// which the caller removes before writing.
json tokenizer_config(const GgufFile& file, const VocabularyTables& tables, const WordRule& rule) {
  const auto metadata = file.reader();
  json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
              {"clean_up_tokenization_spaces", false},
              {"add_prefix_space", false}};
  for (const RoleName& role : roles) {
    const int64_t id = role_id(metadata, role.in_gguf, static_cast<int64_t>(tables.size()));
    if (id < 0) continue;
    config[std::string(role.in_config) + "_token"] = tables.text(static_cast<size_t>(id));
    config[std::string("_") + role.in_config] = id;
  }
  for (const auto& [role, otherwise] : {std::pair{"bos", rule.begins}, {"eos", false}}) {
    const bool known = config.contains(std::string(role) + "_token");
    const std::string key = fmt::format("tokenizer.ggml.add_{}_token", role);
    const bool added = metadata.flag(key, known && otherwise);
    if (added && !known) metadata.refuse(fmt::format("metadata '{}' is true, but there is no such token", key));
    config[fmt::format("add_{}_token", role)] = added;
  }
  const std::string length = metadata.text("general.architecture", "") + ".context_length";
  if (metadata.has(length)) config["model_max_length"] = metadata.whole(length, 1, INT32_MAX);
  if (const json written = chat_template(metadata); !written.is_null()) config["chat_template"] = written;
  return config;
}

}  // namespace

bool has_vocabulary(const GgufFile& file) { return file.reader().text("tokenizer.ggml.model", "none") != "none"; }

VocabularyFiles vocabulary_files(const GgufFile& file) {
  const WordRule& rule = word_rule(file.reader());
  const VocabularyTables tables(file);
  json config = tokenizer_config(file, tables, rule);
  VocabularyFiles files;
  files.tokens = static_cast<int64_t>(tables.size());
  files.tokenizer = tokenizer(tables, rule, post_processor(config)).dump(1) + "\n";
  for (const RoleName& role : roles) config.erase(std::string("_") + role.in_config);
  files.config = config.dump(2) + "\n";
  return files;
}

Json special_ids(const GgufFile& file, int64_t tokens) {
  const auto metadata = file.reader();
  Json ids = Json::object(), ends = Json::array();
  for (const char* role : {"eos", "eot", "eom"}) {
    const int64_t id = role_id(metadata, role, tokens);
    if (id >= 0 && std::find(ends.begin(), ends.end(), id) == ends.end()) ends.push_back(id);
  }
  if (const int64_t id = role_id(metadata, "bos", tokens); id >= 0) ids["bos_token_id"] = id;
  if (!ends.empty()) ids["eos_token_id"] = ends.size() == 1 ? ends[0] : ends;
  if (const int64_t id = role_id(metadata, "padding", tokens); id >= 0) ids["pad_token_id"] = id;
  return ids;
}

}  // namespace compeer::gguf
