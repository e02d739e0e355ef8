#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "language/vocabulary.h"

namespace compeer::language {

/// How BERT's tokenizers prepare a text, by the names of their files.
struct BertWording {
  bool clean_text = true;            ///< control characters go, all white space is a space
  bool handle_chinese_chars = true;  ///< each is a word of its own
  bool strip_accents = true;
  bool lowercase = true;
};

/// The words of a text as BertNormalizer and BertPreTokenizer cut them: at white space, every punctuation mark by
/// itself. Bytes that are not UTF-8 become U+FFFD, which `clean_text` removes.
std::vector<std::string> bert_words(std::string_view text, const BertWording& wording);

struct WordPieceFiles;

/// BERT's tokenizer: words cut into the longest pieces that the vocabulary has, "playing" into "play" and "##ing". May
/// be used by several threads at once.
class WordPieces {
 public:
  /// From a folder's tokenizer.json or, where there is none, vocab.txt (a piece a line); tokenizer_config.json may name
  /// the special pieces and, for vocab.txt, say how text is prepared. Throws Error (exit 4) naming the file and what is
  /// wrong or not supported there.
  static WordPieces load(const std::filesystem::path& folder);

  /// [CLS], the pieces, [SEP]: at most `most` ids, of which there must be two. A word without pieces is [UNK].
  /// Special pieces are never recognised in a text: "[SEP]" is three pieces.
  std::vector<int32_t> encode(std::string_view text, size_t most) const;

  /// Whether capitals and small letters are the same to it.
  bool lowercases() const { return wording_.lowercase; }

  /// One more than the largest id: the rows an embedding needs.
  int64_t size() const { return vocabulary_.size(); }

 private:
  explicit WordPieces(WordPieceFiles&& files);
  bool pieces_of(const std::string& word, std::vector<int32_t>& ids) const;

  Vocabulary vocabulary_;
  BertWording wording_;
  std::string prefix_;
  size_t longest_word_;
  int32_t unknown_, begin_, end_;
};

}  // namespace compeer::language
