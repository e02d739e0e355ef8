// Text to ids: added tokens, normalization, added tokens again, pre-tokenization, BPE. And back.
#include "language/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/model_folder.h"
#include "language/text_stream.h"
#include "language/token_tables.h"
#include "language/tokenizer_files.h"
#include "language/vocabulary.h"

namespace compeer::language {

namespace {

constexpr size_t longest_added = 1024;  // bytes; longer ones would make matching slow

// The parts of spans that overlap `place`, relative to its begin.
std::vector<ByteSpan> within(std::span<const ByteSpan> spans, ByteSpan place) {
  std::vector<ByteSpan> result;
  auto span = std::partition_point(spans.begin(), spans.end(), [&](const ByteSpan& s) { return s.end <= place.begin; });
  for (; span != spans.end() && span->begin < place.end; ++span) {
    result.push_back({std::max(span->begin, place.begin) - place.begin, std::min(span->end, place.end) - place.begin});
  }
  return result;
}

}  // namespace

Tokenizer::Tokenizer(std::filesystem::path folder, TokenizerFiles&& files)
    : folder_(std::move(folder)),
      file_(files.file.string()),
      roles_(std::move(files.roles)),
      normal_form_(std::move(files.normal_form)),
      pre_tokenizer_(std::move(files.pre_tokenizer)),
      byte_level_(files.symbols.byte_level),
      ignore_merges_(files.ignore_merges),
      decoder_(std::move(files.decoder)),
      vocabulary_(std::move(files.vocabulary)),
      pairs_(vocabulary_, files.symbols, files.merges, file_),
      size_(vocabulary_.size()) {
  add_tokens(std::move(files.added), file_);
}

Tokenizer Tokenizer::load(const std::filesystem::path& folder) {
  // Adapters written by other programs have no tokenizer.
  const bool absent =
      !std::filesystem::exists(folder / "tokenizer.json") && !std::filesystem::exists(folder / "vocab.json");
  const auto from = absent ? base_model(folder) : folder;
  return Tokenizer(from, read_tokenizer_files(from));
}

void Tokenizer::add_tokens(std::vector<AddedToken> added, const std::string& where) {
  std::vector<AddedToken> before, after;
  for (AddedToken& token : added) {
    const auto id = checked_id(token.id, token.text, where);
    if (token.text.empty() || token.text.size() > longest_added)
      throw Error(where, fmt::format("added token {} has {} bytes", id, token.text.size()), "", Exit::data);
    const int32_t in_vocabulary = vocabulary_.id(token.text);
    const bool taken = in_vocabulary != id && !vocabulary_.spelled(id).empty();
    if (taken || (in_vocabulary >= 0 && in_vocabulary != id) || added_.contains(id) || added_ids_.contains(token.text))
      throw Error(where,
                  fmt::format("added token '{}' has id {}, but the token or the id already exists", token.text, id), "",
                  Exit::data);
    added_ids_[token.text] = id;
    // Added tokens are not in GPT-2's byte spelling.
    added_[id] = {token, decoder_.byte_level ? token.text : decoder_.bytes(token.text)};
    size_ = std::max<int64_t>(size_, id + 1);
    if (token.normalized) token.text = normal_form_.of(token.text);
    if (!token.text.empty()) (token.normalized ? after : before).push_back(std::move(token));
  }
  raw_ = AddedTokens(std::move(before));
  normalized_ = AddedTokens(std::move(after));
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool special) const {
  const std::string valid = valid_utf8(text);
  const ByteSpan whole{0, valid.size()};
  return encode_valid(valid, {&whole, special ? 0u : 1u});
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, std::span<const ByteSpan> plain) const {
  if (valid_utf8(text) != text) throw Error("", "text to be encoded is not UTF-8", "", Exit::data);
  return encode_valid(text, plain);
}

bool Tokenizer::is_separable(std::string_view text, std::span<const ByteSpan> plain) const {
  const auto pieces = raw_.split(text, plain);
  if (pieces.empty() || pieces.front().id < 0) return false;
  const std::string& token = added_.at(pieces.front().id).token.text;
  return within(plain, {0, token.size()}).empty() && text.starts_with(token) && raw_.is_separable(token);
}

std::vector<int32_t> Tokenizer::encode_valid(std::string_view text, std::span<const ByteSpan> plain) const {
  std::vector<int32_t> ids;
  for (const auto& [span, id] : raw_.split(text, plain)) {
    if (id >= 0) {
      ids.push_back(id);
    } else {
      encode_piece(text.substr(span.begin, span.end - span.begin), span.begin == 0, within(plain, span), ids);
    }
  }
  return ids;
}

void Tokenizer::encode_piece(std::string_view text, bool first, std::vector<ByteSpan> plain,
                             std::vector<int32_t>& ids) const {
  std::string normal;
  if (!normal_form_.empty()) {
    normal = normalized_.empty() ? normal_form_.of(text) : normal_form_.of(text, plain);
    text = normal;
  }
  for (const auto& [span, id] : normalized_.split(text, plain)) {
    if (id >= 0) {
      ids.push_back(id);
    } else {
      encode_words(text.substr(span.begin, span.end - span.begin), first && span.begin == 0, ids);
    }
  }
}

void Tokenizer::encode_words(std::string_view text, bool first, std::vector<int32_t>& ids) const {
  const PreTokenizedText cut = pre_tokenizer_.split(text, first);
  // The ids of a repeated word are copied: position in `ids` and count, by word.
  std::unordered_map<std::string_view, std::pair<size_t, size_t>> seen;
  for (const auto word : cut.words) {
    const size_t begin = ids.size();
    const auto [place, is_new] = seen.try_emplace(word, begin, 0);
    if (is_new) {
      encode_word(word, ids);
      place->second.second = ids.size() - begin;
    } else {
      const auto [from, count] = place->second;
      for (size_t i = 0; i < count; ++i) ids.push_back(ids[from + i]);
    }
  }
}

void Tokenizer::encode_word(std::string_view word, std::vector<int32_t>& ids) const {
  const auto whole = [&] { return byte_level_ ? vocabulary_.id(spell_bytes(word)) : vocabulary_.id(word); };
  if (const int32_t id = ignore_merges_ ? whole() : -1; id >= 0) {
    ids.push_back(id);
  } else {
    pairs_.encode(word, ids);
  }
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool keep_special) const {
  std::string text;
  if (decoder_.byte_level) {
    for (const int32_t id : ids) text += bytes(id, keep_special);
    return valid_utf8(text);
  }
  TextStream stream(*this, keep_special);
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

std::string_view Tokenizer::bytes(int32_t id, bool keep_special) const {
  const auto added = added_.find(id);
  if (added == added_.end()) return vocabulary_.bytes(id);
  return keep_special || !added->second.token.special ? std::string_view(added->second.bytes) : std::string_view();
}

bool Tokenizer::is_byte(int32_t id) const {
  const auto added = added_.find(id);
  return decoder_.is_byte(added == added_.end() ? vocabulary_.spelled(id) : std::string_view(added->second.token.text));
}

bool Tokenizer::has_id(int32_t id) const { return added_.contains(id) || !vocabulary_.spelled(id).empty(); }

int32_t Tokenizer::id(const std::string& token) const {
  const auto found = added_ids_.find(token);
  if (found == added_ids_.end()) throw Error(file_, "has no added token '" + token + "'", "", Exit::data);
  return found->second;
}

int32_t Tokenizer::end_token() const {
  const auto role = roles_.find("eos_token");
  if (role == roles_.end())
    throw Error((folder_ / "tokenizer_config.json").string(), "has no eos_token", "", Exit::data);
  return id(role->second);
}

std::span<const char* const> Tokenizer::file_names() {
  static constexpr std::array all{
      "tokenizer.json",          "vocab.json",          "merges.txt",         "tokenizer_config.json",
      "special_tokens_map.json", "chat_template.jinja", "chat_template.json", "generation_config.json"};
  return all;
}

void Tokenizer::save(const std::filesystem::path& folder) const {
  for (const char* name : file_names()) {
    if (std::filesystem::exists(folder_ / name))
      write_file(folder / name, read_plain_file(folder_ / name, largest_table));
  }
}

}  // namespace compeer::language
