#pragma once
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace compeer::language
