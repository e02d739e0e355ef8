// BERT's tokenizer: normalization and words, then WordPiece.
#include "language/word_pieces.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "language/text.h"
#include "language/token_tables.h"

namespace compeer::language {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The parsed contents of a folder.
struct WordPieceFiles {
  fs::path file;  // the file with the vocabulary
  std::vector<TokenId> tokens;
  BertNormalizerSettings wording;
  std::string prefix = "##", unknown = "[UNK]", begin = "[CLS]", end = "[SEP]";
  size_t longest_word = 100;
};

namespace {

bool is_control(int32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
      return true;
    default:
      return code == 0xFFFD;
  }
}

bool is_punctuation(int32_t code) {
  if (code < 0x80) return code > ' ' && code < 0x7F && utf8proc_category(code) > UTF8PROC_CATEGORY_NO;
  const auto category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

// The CJK blocks in BERT's original tokenizer.
bool is_chinese(int32_t code) {
  struct CodeRange {
    int32_t first, last;
  };
  constexpr std::array<CodeRange, 8> blocks{{{0x4E00, 0x9FFF},
                                             {0x3400, 0x4DBF},
                                             {0x20000, 0x2A6DF},
                                             {0x2A700, 0x2B73F},
                                             {0x2B740, 0x2B81F},
                                             {0x2B920, 0x2CEAF},
                                             {0xF900, 0xFAFF},
                                             {0x2F800, 0x2FA1F}}};
  for (const CodeRange& block : blocks) {
    if (code >= block.first && code <= block.last) return true;
  }
  return false;
}

/// Normalizes characters one by one and assembles words.
class WordAssembler {
 public:
  explicit WordAssembler(const BertNormalizerSettings& wording) : wording_(wording) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const auto [code, length] = first_character(text);
      text.remove_prefix(length);
      if (wording_.clean_text && is_control(code)) continue;
      const bool alone = wording_.handle_chinese_chars && is_chinese(code);
      if (alone) end();
      wording_.strip_accents ? without_accents(code) : lower(code);
      if (alone) end();
    }
    end();
  }

  std::vector<std::string> take() { return std::move(words_); }

 private:
  void without_accents(int32_t code) {
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary = 0;
    const auto n = utf8proc_decompose_char(code, parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &boundary);
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      if (utf8proc_category(parts[i]) != UTF8PROC_CATEGORY_MN) lower(parts[i]);
    }
  }

  void lower(int32_t code) {
    if (!wording_.lowercase) return add(code);
    if (code == 0x130) return add('i'), add(0x307);  // the only letter whose lower case is two characters
    add(utf8proc_tolower(code));
  }

  void add(int32_t code) {
    if (is_space(code)) return end();
    const bool mark = is_punctuation(code);
    if (mark) end();
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto n = utf8proc_encode_char(code, bytes.data());
    word_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(n));
    if (mark) end();
  }

  void end() {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
  }

  const BertNormalizerSettings& wording_;
  std::string word_;
  std::vector<std::string> words_;
};

[[noreturn]] void unsupported(const fs::path& file, const std::string& what) {
  throw Error(file.string(), what + " is not supported", "use a BERT tokenizer of type WordPiece", Exit::data);
}

bool flag(const Json& table, const char* key, bool otherwise) {
  return table.contains(key) && !table.at(key).is_null() ? table.at(key).get<bool>() : otherwise;
}

void read_names(const Json& config, const char* key, std::string& into) {
  if (!config.contains(key)) return;
  const Json& token = config.at(key);
  into = token.is_object()   ? token.at("content").get<std::string>()
         : token.is_string() ? token.get<std::string>()
                             : into;
}

const Json& step(const Json& json, const char* name, const char* type, const fs::path& file) {
  const Json& found = json.at(name);
  const auto got = found.is_object() ? found.value("type", "") : "";
  if (got != type) unsupported(file, std::string(name) + " '" + got + "'");
  return found;
}

// Throws exceptions of nlohmann::json for a file of another layout; the caller converts them.
void read_tokenizer_json(WordPieceFiles& files) {
  TokenTables tables;
  const Json json = read_tokenizer(files.file, tables);
  const Json& model = step(json, "model", "WordPiece", files.file);
  const Json& normalizer = step(json, "normalizer", "BertNormalizer", files.file);
  step(json, "pre_tokenizer", "BertPreTokenizer", files.file);
  files.tokens = std::move(tables.vocabulary);
  files.prefix = model.value("continuing_subword_prefix", files.prefix);
  files.unknown = model.value("unk_token", files.unknown);
  if (model.contains("max_input_chars_per_word")) {
    const auto longest = get_integer<int64_t>(model.at("max_input_chars_per_word"));
    if (longest < 0) unsupported(files.file, fmt::format("max_input_chars_per_word {}", longest));
    files.longest_word = static_cast<size_t>(longest);
  }
  const bool lowercase = flag(normalizer, "lowercase", true);
  files.wording = {flag(normalizer, "clean_text", true), flag(normalizer, "handle_chinese_chars", true),
                   flag(normalizer, "strip_accents", lowercase), lowercase};
}

void read_vocab_txt(const Json& config, WordPieceFiles& files) {
  const std::string text = read_plain_file(files.file, largest_table);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string token = text.substr(at, end - at);
    if (token.ends_with('\r')) token.pop_back();
    files.tokens.push_back({std::move(token), static_cast<int64_t>(files.tokens.size())});
    at = end + 1;
  }
  const bool lowercase = flag(config, "do_lower_case", true);
  files.wording = {true, flag(config, "tokenize_chinese_chars", true), flag(config, "strip_accents", lowercase),
                   lowercase};
}

int32_t id_of(const Vocabulary& vocabulary, const std::string& token, const fs::path& file) {
  const int32_t id = vocabulary.id(token);
  if (id < 0) throw Error(file.string(), "its vocabulary has no '" + token + "'", "", Exit::data);
  return id;
}

}  // namespace

std::vector<std::string> bert_words(std::string_view text, const BertNormalizerSettings& wording) {
  WordAssembler words(wording);
  words.read(valid_utf8(text));
  return words.take();
}

WordPieces::WordPieces(WordPieceFiles&& files)
    : vocabulary_(files.tokens, files.file.string()),
      wording_(files.wording),
      prefix_(files.prefix),
      longest_word_(files.longest_word),
      unknown_(id_of(vocabulary_, files.unknown, files.file)),
      begin_(id_of(vocabulary_, files.begin, files.file)),
      end_(id_of(vocabulary_, files.end, files.file)) {}

WordPieces WordPieces::load(const fs::path& folder) {
  WordPieceFiles files;
  const fs::path config_file = folder / "tokenizer_config.json";
  fs::path read = config_file;
  try {
    const Json config = fs::exists(config_file) ? read_strict_json<Json>(config_file) : Json::object();
    read_names(config, "unk_token", files.unknown);
    read_names(config, "cls_token", files.begin);
    read_names(config, "sep_token", files.end);
    if (read = files.file = folder / "tokenizer.json"; fs::exists(read)) {
      read_tokenizer_json(files);
    } else if (files.file = folder / "vocab.txt"; fs::exists(files.file)) {
      read = config_file;
      read_vocab_txt(config, files);
    } else {
      throw Error(folder.string(), "contains no BERT tokenizer", "add tokenizer.json or vocab.txt", Exit::data);
    }
  } catch (const Json::exception& error) {
    throw Error(read.string(), "has unexpected contents: " + std::string(error.what()).substr(0, 300), "", Exit::data);
  }
  return WordPieces(std::move(files));
}

std::vector<int32_t> WordPieces::encode(std::string_view text, size_t most) const {
  std::vector<int32_t> ids{begin_};
  for (const std::string& word : bert_words(text, wording_)) {
    if (ids.size() >= most) break;
    if (!pieces_of(word, ids)) ids.push_back(unknown_);
  }
  if (ids.size() >= most) ids.resize(most - 1);
  ids.push_back(end_);
  return ids;
}

// Appends the pieces of a word, always the longest that fits next. Returns false and appends nothing if it can't be
// split completely.
bool WordPieces::pieces_of(const std::string& word, std::vector<int32_t>& ids) const {
  std::vector<size_t> edges{0};  // byte offsets of characters
  while (edges.back() < word.size())
    edges.push_back(edges.back() + first_character(std::string_view(word).substr(edges.back())).length);
  if (edges.size() - 1 > longest_word_) return false;
  const size_t before = ids.size();
  for (size_t begin = 0; begin + 1 < edges.size();) {
    size_t end = edges.size() - 1;
    int32_t id = -1;
    for (; end > begin && id < 0; --end) {
      const auto piece = word.substr(edges[begin], edges[end] - edges[begin]);
      id = vocabulary_.id(begin == 0 ? piece : prefix_ + piece);
    }
    if (id < 0) return ids.resize(before), false;
    ids.push_back(id);
    begin = end + 1;
  }
  return true;
}

}  // namespace compeer::language
