// tokenizer.json, as far as BPE tokenizers use it: its model and its added tokens. tokenizer_steps.h has the rest.
#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "language/tokenizer_files.h"
#include "language/tokenizer_steps.h"

namespace compeer::language {

using Json = nlohmann::ordered_json;

namespace {

bool set(const Json& object, const char* name) { return object.contains(name) && !object.at(name).is_null(); }

void read_model(const Json& model, const std::string& where, TokenizerFiles& into) {
  if (const auto type = model.value("type", "BPE"); type != "BPE")
    unsupported_tokenizer(where, "a model of type '" + type + "'");
  for (const char* name : {"vocab", "merges"}) {
    if (!model.contains(name)) throw Error(where, fmt::format("its model has no {}", name), "", Exit::data);
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
      into.added.push_back(added_token(token, whole<int64_t>(token.at("id")), where));
  } catch (const Json::exception& e) {
    throw Error(where, fmt::format("is not a tokenizer as expected: {}", std::string(e.what()).substr(0, 300)), "",
                Exit::data);
  }
}

}  // namespace compeer::language
