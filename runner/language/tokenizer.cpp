#include "language/tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "language/text.h"

namespace compeer::language {

namespace {

using nlohmann::json;

// What ByteLevel splits by when it brings its own pattern (GPT-2's).
constexpr const char* kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

json parse(const std::filesystem::path& file) {
  try {
    return json::parse(read_file(file));
  } catch (const json::exception& e) {
    throw Error(file.string(), std::string("is not JSON: ") + e.what(), "", Exit::data);
  }
}

[[noreturn]] void unsupported(const std::string& where, const std::string& what) {
  throw Error(where, what + " is not supported", "byte-level BPE tokenizers are: Qwen2, GPT-2, Llama 3 and their kin",
              Exit::data);
}

std::string split_pattern(const json& file, const std::string& where) {
  const json& pre = file.at("pre_tokenizer");
  const json parts = pre.value("type", "") == "Sequence" ? pre.at("pretokenizers") : json::array({pre});
  std::string pattern;
  bool byte_level = false;
  for (const json& part : parts) {
    const auto type = part.value("type", "");
    if (type == "Split" && part.value("behavior", "") == "Isolated" && !part.value("invert", false) &&
        part.at("pattern").contains("Regex")) {
      pattern = part.at("pattern").at("Regex").get<std::string>();
    } else if (type == "ByteLevel" && !part.value("add_prefix_space", false)) {
      byte_level = true;
      if (part.value("use_regex", true)) pattern = kByteLevelPattern;
    } else {
      unsupported(where, "pre-tokenizer '" + type + "' as written there");
    }
  }
  if (!byte_level || pattern.empty()) unsupported(where, "a pre-tokenizer without ByteLevel and a pattern");
  return pattern;
}

bool wants_nfc(const json& file, const std::string& where) {
  if (!file.contains("normalizer") || file.at("normalizer").is_null()) return false;
  const auto type = file.at("normalizer").value("type", "");
  if (type != "NFC") unsupported(where, "normalizer '" + type + "'");
  return true;
}

std::vector<std::pair<std::string, std::string>> merges_of(const json& model, const std::string& where) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (const json& merge : model.at("merges")) {
    if (merge.is_array() && merge.size() == 2) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const auto text = merge.get<std::string>();
    const size_t space = text.find(' ');
    if (space == std::string::npos) throw Error(where, "merge '" + text + "' is not a pair", "", Exit::data);
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return merges;
}

std::string text_of(const json& token) {
  return token.is_object() ? token.value("content", "") : token.is_string() ? token.get<std::string>() : "";
}

}  // namespace

Tokenizer::Tokenizer(std::filesystem::path folder, Splitter splitter, BytePairs pairs, bool nfc)
    : folder_(std::move(folder)), splitter_(std::move(splitter)), pairs_(std::move(pairs)), nfc_(nfc) {}

Tokenizer Tokenizer::load(const std::filesystem::path& folder) {
  const auto file = folder / "tokenizer.json";
  const std::string where = file.string();
  const json all = parse(file);
  try {
    const json& model = all.at("model");
    if (const auto type = model.value("type", "BPE"); type != "BPE")
      unsupported(where, "a model of type '" + type + "'");
    const auto pattern = split_pattern(all, where);
    const bool nfc = wants_nfc(all, where);
    const auto vocabulary = model.at("vocab").get<std::unordered_map<std::string, int32_t>>();
    Tokenizer result(folder, Splitter(pattern, where), BytePairs(vocabulary, merges_of(model, where), where), nfc);
    for (const auto& [token, id] : vocabulary) result.size_ = std::max<int64_t>(result.size_, id + 1);
    for (const json& token : all.value("added_tokens", json::array())) {
      result.added_.push_back(
          {token.at("content").get<std::string>(), token.at("id").get<int32_t>(), token.value("special", false)});
      result.size_ = std::max<int64_t>(result.size_, result.added_.back().id + 1);
    }
    std::stable_sort(result.added_.begin(), result.added_.end(),
                     [](const Added& a, const Added& b) { return a.text.size() > b.text.size(); });
    const json config = parse(folder / "tokenizer_config.json");
    const std::string end = config.contains("eos_token") ? text_of(config.at("eos_token")) : "";
    if (end.empty()) throw Error((folder / "tokenizer_config.json").string(), "names no eos_token", "", Exit::data);
    result.end_ = result.id(end);
    return result;
  } catch (const json::exception& e) {
    throw Error(where, std::string("is not a tokenizer as expected: ") + e.what(), "", Exit::data);
  }
}

const Tokenizer::Added* Tokenizer::added_at(std::string_view text, bool special) const {
  for (const Added& token : added_) {
    if ((special || !token.special) && text.starts_with(token.text)) return &token;
  }
  return nullptr;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool special) const {
  std::vector<int32_t> ids;
  size_t plain = 0, at = 0;
  while (at < text.size()) {
    const Added* token = added_at(text.substr(at), special);
    if (!token) {
      ++at;
      continue;
    }
    encode_plain(text.substr(plain, at - plain), ids);
    ids.push_back(token->id);
    plain = at += token->text.size();
  }
  encode_plain(text.substr(plain), ids);
  return ids;
}

void Tokenizer::encode_plain(std::string_view text, std::vector<int32_t>& ids) const {
  if (text.empty()) return;
  const std::string normal = nfc_ ? normalize(text) : valid_utf8(text);
  for (const std::string_view word : splitter_.split(normal)) pairs_.encode(word, ids);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool keep_special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    const auto added = std::find_if(added_.begin(), added_.end(), [&](const Added& token) { return token.id == id; });
    if (added != added_.end()) {
      if (keep_special || !added->special) bytes += added->text;
    } else if (const std::string* token = pairs_.bytes(id)) {
      bytes += *token;
    }
  }
  return valid_utf8(bytes);
}

int32_t Tokenizer::id(const std::string& token) const {
  const auto found = std::find_if(added_.begin(), added_.end(), [&](const Added& a) { return a.text == token; });
  if (found == added_.end())
    throw Error((folder_ / "tokenizer.json").string(), "has no added token '" + token + "'", "", Exit::data);
  return found->id;
}

void Tokenizer::save(const std::filesystem::path& folder) const {
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "generation_config.json"}) {
    if (std::filesystem::exists(folder_ / name)) write_file(folder / name, read_file(folder_ / name));
  }
}

}  // namespace compeer::language
