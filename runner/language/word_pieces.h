#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "language/vocabulary.h"

namespace compeer::language {

/// Settings of BertNormalizer, by the names of tokenizer files.
struct BertNormalizerSettings {
  bool clean_text = true;            ///< remove control characters
  bool handle_chinese_chars = true;  ///< make each CJK ideograph a word of its own
  bool strip_accents = true;
  bool lowercase = true;
};

/// Splits a text into words as BertNormalizer and BertPreTokenizer do: at white space, with each punctuation mark as a
/// word of its own. Bytes that are not UTF-8 become U+FFFD, which `clean_text` removes.
std::vector<std::string> bert_words(std::string_view text, const BertNormalizerSettings& wording);

struct WordPieceFiles;

/// BERT's WordPiece tokenizer: splits words greedily into the longest pieces in the vocabulary, such as "playing" into
/// "play" and "##ing". Thread-safe.
class WordPieces {
 public:
  /// Loads a folder's tokenizer.json or, if there is none, vocab.txt (one piece per line). tokenizer_config.json may
  /// name the special pieces and, for vocab.txt, contain the settings of the normalizer. Throws Error (exit 4), naming
  /// the file, if one is missing or invalid, or uses an unsupported feature.
  static WordPieces load(const std::filesystem::path& folder);

  /// Returns [CLS], the pieces, [SEP]: at most `most` ids, at least 2; the last pieces are dropped if there are more. A
  /// word that can't be split into pieces is [UNK]. Special pieces are never recognised in a text: "[SEP]" becomes
  /// three pieces.
  std::vector<int32_t> encode(std::string_view text, size_t most) const;

  /// True if text is lower-cased.
  bool lowercases() const { return wording_.lowercase; }

  /// Largest id plus 1: the number of rows that an embedding needs.
  int64_t size() const { return vocabulary_.size(); }

 private:
  explicit WordPieces(WordPieceFiles&& files);
  // Appends the ids of a word's pieces. Returns false, without a change, if the word can't be split into pieces.
  bool pieces_of(const std::string& word, std::vector<int32_t>& ids) const;

  Vocabulary vocabulary_;
  BertNormalizerSettings wording_;
  std::string prefix_;             // of pieces inside a word: "##"
  size_t longest_word_;            // words with more characters are [UNK]
  int32_t unknown_, begin_, end_;  // ids of [UNK], [CLS] and [SEP]
};

}  // namespace compeer::language
