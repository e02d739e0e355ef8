// tokenizer.json, as far as byte-level BPE tokenizers use it.
#include <fmt/format.h>

#include "base/error.h"
#include "language/tokenizer_files.h"

namespace compeer::language {

using Json = nlohmann::ordered_json;

const char* const kByteLevelPattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

[[noreturn]] void unsupported(const std::string& where, const std::string& what) {
  throw Error(where, what + " is not supported",
              "byte-level BPE tokenizers are: those of Qwen2, GPT-2, Llama 3 and their kin", Exit::data);
}

bool set(const Json& object, const char* name) { return object.contains(name) && !object.at(name).is_null(); }

// A step and, if it is a sequence, those in it.
std::vector<Json> steps_of(const Json& file, const char* name, const char* list) {
  if (!set(file, name)) return {};
  const Json& step = file.at(name);
  if (step.value("type", "") != "Sequence") return {step};
  const Json& steps = step.at(list);
  return {steps.begin(), steps.end()};
}

std::string escaped(const std::string& literal) {
  std::string pattern;
  for (const char c : literal) {
    if (static_cast<unsigned char>(c) < 0x80 && !std::isalnum(static_cast<unsigned char>(c))) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Splitter split_step(const Json& step, const std::string& where) {
  const Json& pattern = step.at("pattern");
  const bool regex = pattern.contains("Regex");
  const auto text = pattern.at(regex ? "Regex" : "String").get<std::string>();
  const auto behavior = step.value("behavior", "");
  const bool invert = step.value("invert", false);
  if (behavior != "Isolated" && behavior != "Removed") unsupported(where, "splitting with '" + behavior + "'");
  return Splitter(regex ? text : escaped(text), where,
                  behavior == "Isolated" ? Keep::both
                  : invert               ? Keep::matches
                                         : Keep::gaps);
}

void add_step(const Json& step, const std::string& where, TokenizerFiles& into, bool& byte_level) {
  const auto type = step.value("type", "");
  if (type == "Split") {
    into.splitters.push_back(split_step(step, where));
  } else if (type == "Digits") {
    into.splitters.emplace_back(step.value("individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)", where);
  } else if (type == "ByteLevel") {
    byte_level = true;
    if (step.value("add_prefix_space", true)) {
      if (!into.splitters.empty()) unsupported(where, "a space put before every word");
      into.prefix_space = true;
    }
    if (step.value("use_regex", true)) into.splitters.emplace_back(kByteLevelPattern, where);
  } else {
    unsupported(where, "pre-tokenizer '" + type + "'");
  }
}

void read_steps(const Json& all, const std::string& where, TokenizerFiles& into) {
  for (const Json& step : steps_of(all, "normalizer", "normalizers")) {
    const auto type = step.value("type", "");
    if (type != "NFC") unsupported(where, "normalizer '" + type + "'");
    into.nfc = true;
  }
  bool byte_level = false;
  for (const Json& step : steps_of(all, "pre_tokenizer", "pretokenizers")) {
    if (byte_level) unsupported(where, "a pre-tokenizer after ByteLevel");
    add_step(step, where, into, byte_level);
  }
  if (!byte_level) unsupported(where, "a pre-tokenizer without ByteLevel");
}

void read_model(const Json& model, const std::string& where, TokenizerFiles& into) {
  if (const auto type = model.value("type", "BPE"); type != "BPE") unsupported(where, "a model of type '" + type + "'");
  for (const char* name : {"vocab", "merges"}) {
    if (!model.contains(name)) throw Error(where, fmt::format("its model has no {}", name), "", Exit::data);
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (set(model, name) && model.at(name) != "") unsupported(where, fmt::format("a model with {}", name));
  }
  if (set(model, "dropout") && model.at("dropout") != 0) unsupported(where, "a model with dropout");
  into.ignore_merges = set(model, "ignore_merges") && model.at("ignore_merges").get<bool>();
}

}  // namespace

AddedToken added_token(const Json& entry, int64_t id, const std::string& where) {
  AddedToken token;
  token.text = entry.at("content").get<std::string>();
  token.id = checked_id(id, token.text, where);
  token.special = entry.value("special", false);
  token.single_word = entry.value("single_word", false);
  token.lstrip = entry.value("lstrip", false);
  token.rstrip = entry.value("rstrip", false);
  token.normalized = entry.value("normalized", !token.special);
  return token;
}

void read_tokenizer_json(const std::filesystem::path& file, TokenizerFiles& into) {
  const std::string where = file.string();
  TokenTables tables;
  const Json all = read_tokenizer(file, tables);
  into.vocabulary = Vocabulary(tables.vocabulary, where);
  into.merges = std::move(tables.merges);
  try {
    read_model(all.at("model"), where, into);
    read_steps(all, where, into);
    for (const Json& token : all.value("added_tokens", Json::array()))
      into.added.push_back(added_token(token, token.at("id").get<int64_t>(), where));
  } catch (const Json::exception& e) {
    throw Error(where, fmt::format("is not a tokenizer as expected: {}", std::string(e.what()).substr(0, 300)), "",
                Exit::data);
  }
}

}  // namespace compeer::language
