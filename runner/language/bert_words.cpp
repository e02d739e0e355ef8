#include "language/bert_words.h"

#include <utf8proc.h>

#include <array>

#include "language/text.h"

namespace compeer::language {

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

// The blocks that BERT's authors listed.
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

/// Takes characters one by one and puts the words together.
class WordAssembler {
 public:
  explicit WordAssembler(const BertWording& wording) : wording_(wording) {}

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
    if (code == 0x130) return add('i'), add(0x307);  // the one letter that becomes two
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

  const BertWording& wording_;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> bert_words(std::string_view text, const BertWording& wording) {
  WordAssembler words(wording);
  words.read(valid_utf8(text));
  return words.take();
}

}  // namespace compeer::language
