#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "language/bert_words.h"
#include "language/vocabulary.h"

namespace compeer::language {

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
