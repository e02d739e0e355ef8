// Reads tokenizer.json: the model, added tokens and steps of BPE tokenizers such as those of Qwen2, GPT-2, SmolLM2,
// Llama and Mistral.
#include "language/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "language/text.h"
#include "language/tokenizer_files.h"

namespace compeer::language {

using Json = nlohmann::ordered_json;

const char* const byte_level_pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void unsupported_tokenizer(const std::string& where, const std::string& what) {
  throw Error(where, what + " is not supported",
              "use a BPE tokenizer, such as those of Qwen2, GPT-2, SmolLM2, Llama and Mistral", Exit::data);
}

namespace {

constexpr size_t growth =
    4;  // largest factor by which replacements may lengthen a text, so that a file can't exhaust memory

// Returns the steps of a Sequence, or the single step.
std::vector<Json> steps_of(const Json& file, const char* name, const char* list) {
  if (!file.contains(name) || file.at(name).is_null()) return {};
  const Json& step = file.at(name);
  if (step.value("type", "") != "Sequence") return {step};
  const Json& steps = step.at(list);
  return {steps.begin(), steps.end()};
}

bool flag_of(const Json& step, const char* name, bool otherwise) {
  return step.contains(name) && !step.at(name).is_null() ? step.at(name).get<bool>() : otherwise;
}

/// Reads replacements and limits how much they may lengthen a text, all together.
class Replacements {
 public:
  explicit Replacements(const std::string& where) : where_(where) {}

  TextReplacement read(const Json& step) {
    const Json& pattern = step.at("pattern");
    if (!pattern.contains("String")) unsupported_tokenizer(where_, "Replace with a pattern that is not a String");
    TextReplacement result{pattern.at("String").get<std::string>(), step.at("content").get<std::string>()};
    if (result.from.empty()) unsupported_tokenizer(where_, "Replace of an empty String");
    growth_ *= std::max<size_t>(1, (result.to.size() + result.from.size() - 1) / result.from.size());
    if (growth_ > growth)
      unsupported_tokenizer(where_, fmt::format("Replace that makes text more than {} times as long", growth));
    return result;
  }

 private:
  const std::string& where_;
  size_t growth_ = 1;
};

Splitter split_step(const Json& step, const std::string& where) {
  static const std::map<std::string, SplitBehavior> behaviors{
      {"Isolated", SplitBehavior::isolated},
      {"Removed", SplitBehavior::removed},
      {"MergedWithPrevious", SplitBehavior::merged_with_previous},
      {"MergedWithNext", SplitBehavior::merged_with_next},
      {"Contiguous", SplitBehavior::contiguous}};
  const Json& pattern = step.at("pattern");
  const bool regex = pattern.contains("Regex");
  const auto text = pattern.at(regex ? "Regex" : "String").get<std::string>();
  const auto name = step.value("behavior", "");
  const auto behavior = behaviors.find(name);
  if (behavior == behaviors.end()) unsupported_tokenizer(where, "splitting with '" + name + "'");
  return Splitter(regex ? text : escaped_pattern(text), where, behavior->second, flag_of(step, "invert", false));
}

Metaspace::Before before_of(const Json& step, const std::string& where) {
  static const std::map<std::string, Metaspace::Before> schemes{{"always", Metaspace::Before::every_piece},
                                                                {"first", Metaspace::Before::first_piece},
                                                                {"never", Metaspace::Before::none}};
  const bool prefix = flag_of(step, "add_prefix_space", true);  // older files have only this
  const auto name = step.value("prepend_scheme", prefix ? "always" : "never");
  const auto scheme = schemes.find(name);
  if (scheme == schemes.end() || (!prefix && scheme->second != Metaspace::Before::none)) {
    unsupported_tokenizer(where, fmt::format("Metaspace with the prepend_scheme '{}'{}", name,
                                             prefix ? "" : " and without add_prefix_space"));
  }
  return scheme->second;
}

void add_metaspace(const Json& step, const std::string& where, PreTokenizer& into) {
  const auto mark = step.at("replacement").get<std::string>();
  if (mark.empty() || first_character(mark).length != mark.size())
    unsupported_tokenizer(where, "Metaspace with the replacement '" + mark.substr(0, 100) + "'");
  into.add(Metaspace{mark, before_of(step, where)});
  if (flag_of(step, "split", true)) into.add(Splitter(escaped_pattern(mark), where, SplitBehavior::merged_with_next));
}

void add_byte_level(const Json& step, const std::string& where, PreTokenizer& into) {
  if (flag_of(step, "add_prefix_space", true)) into.add(Metaspace{" ", Metaspace::Before::every_piece});
  if (flag_of(step, "use_regex", true)) into.add(Splitter(byte_level_pattern, where));
}

void add_strip(const Json& step, const std::string& where, TokenDecoder& into) {
  into.strip = step.at("content").get<std::string>();
  const auto start = get_integer<int64_t>(step.at("start")), stop = get_integer<int64_t>(step.at("stop"));
  if (into.strip.empty() || first_character(into.strip).length != into.strip.size() || start < 0 || stop != 0)
    unsupported_tokenizer(where, fmt::format("decoder Strip with the content '{}', {} at the start and {} at the stop",
                                             into.strip.substr(0, 100), start, stop));
  into.strip_start = static_cast<size_t>(start);
}

const std::vector<std::string> byte_level_order{"ByteLevel"};
const std::vector<std::string> character_order{"Replace", "ByteFallback", "Fuse", "Strip"};

// Requires the usual order of decoder steps: byte tokens that spell the space mark, for example, must not be replaced.
void check_order(const std::vector<Json>& steps, const std::vector<std::string>& order, const std::string& where) {
  const auto place = [&](const std::string& type) { return std::find(order.begin(), order.end(), type); };
  std::string last;
  for (const Json& step : steps) {
    const auto type = step.value("type", "");
    if (place(type) == order.end()) unsupported_tokenizer(where, "decoder '" + type + "'");
    if (!last.empty() && place(type) < place(last))
      unsupported_tokenizer(where, "decoder '" + type + "' after '" + last + "'");
    if (type == "Strip" && last != "Fuse") unsupported_tokenizer(where, "decoder 'Strip' without 'Fuse' before it");
    last = type;
  }
}

bool set(const Json& object, const char* name) { return object.contains(name) && !object.at(name).is_null(); }

void read_model(const Json& model, const std::string& where, TokenizerFiles& into) {
  if (const auto type = model.value("type", "BPE"); type != "BPE")
    unsupported_tokenizer(where, "a model of type '" + type + "'");
  for (const char* name : {"vocab", "merges"}) {
    if (!model.contains(name)) throw Error(where, fmt::format("its table 'model' has no {}", name), "", Exit::data);
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (set(model, name) && model.at(name) != "") unsupported_tokenizer(where, fmt::format("a model with {}", name));
  }
  if (set(model, "dropout") && model.at("dropout") != 0) unsupported_tokenizer(where, "a model with dropout");
  const auto flag = [&](const char* name) { return set(model, name) && model.at(name).get<bool>(); };
  into.ignore_merges = flag("ignore_merges");
  into.symbols.byte_fallback = flag("byte_fallback");
  into.symbols.fuse_unk = flag("fuse_unk");
  if (set(model, "unk_token")) into.symbols.unk_token = model.at("unk_token").get<std::string>();
}

}  // namespace

Normalizer read_normalizer(const Json& file, const std::string& where) {
  Normalizer form;
  Replacements replacements(where);
  for (const Json& step : steps_of(file, "normalizer", "normalizers")) {
    const auto type = step.value("type", "");
    if (type == "NFC") {
      form.add_nfc();
    } else if (type == "Prepend") {
      form.add_prefix(step.at("prepend").get<std::string>());
    } else if (type == "Replace") {
      form.add_replacement(replacements.read(step));
    } else {
      unsupported_tokenizer(where, "normalizer '" + type + "'");
    }
  }
  return form;
}

PreTokenizer read_pre_tokenizer(const Json& file, const std::string& where, bool& byte_level) {
  PreTokenizer words;
  byte_level = false;
  for (const Json& step : steps_of(file, "pre_tokenizer", "pretokenizers")) {
    if (byte_level) unsupported_tokenizer(where, "a pre-tokenizer after ByteLevel");
    const auto type = step.value("type", "");
    if (type == "Split") {
      words.add(split_step(step, where));
    } else if (type == "Digits") {
      words.add(Splitter(flag_of(step, "individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)", where));
    } else if (type == "Metaspace") {
      add_metaspace(step, where, words);
    } else if (type == "ByteLevel") {
      byte_level = true;
      add_byte_level(step, where, words);
    } else {
      unsupported_tokenizer(where, "pre-tokenizer '" + type + "'");
    }
  }
  return words;
}

TokenDecoder read_decoder(const Json& file, const std::string& where, bool byte_level) {
  TokenDecoder decoder{.byte_level = byte_level, .replacements = {}, .strip = {}};
  Replacements replacements(where);
  const auto steps = steps_of(file, "decoder", "decoders");
  if (steps.empty() && !byte_level) unsupported_tokenizer(where, "a tokenizer with neither ByteLevel nor a decoder");
  check_order(steps, byte_level ? byte_level_order : character_order, where);
  for (const Json& step : steps) {
    const auto type = step.value("type", "");
    if (type == "Replace") decoder.replacements.push_back(replacements.read(step));
    if (type == "ByteFallback") decoder.byte_fallback = true;
    if (type == "Strip") add_strip(step, where, decoder);
  }
  return decoder;
}

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
  into.merges = std::move(tables.merges);
  try {
    read_model(all.at("model"), where, into);
    into.normal_form = read_normalizer(all, where);
    into.pre_tokenizer = read_pre_tokenizer(all, where, into.symbols.byte_level);
    into.decoder = read_decoder(all, where, into.symbols.byte_level);
    into.vocabulary =
        Vocabulary(tables.vocabulary, where, [&](std::string_view token) { return into.decoder.bytes(token); });
    for (const Json& token : all.value("added_tokens", Json::array()))
      into.added.push_back(added_token(token, get_integer<int64_t>(token.at("id")), where));
  } catch (const Json::exception& e) {
    throw Error(where, fmt::format("is not a valid tokenizer: {}", std::string(e.what()).substr(0, 300)), "",
                Exit::data);
  }
}

}  // namespace compeer::language
