#define PCRE2_CODE_UNIT_WIDTH 8
#include "language/splitter.h"

#include <pcre2.h>

#include "base/error.h"

namespace compeer::language {

struct Splitter::Pattern {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, pcre2_code_free};
  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match{nullptr, pcre2_match_data_free};
};

Splitter::Splitter(const std::string& pattern, const std::string& where) : pattern_(std::make_unique<Pattern>()) {
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                     PCRE2_UTF | PCRE2_UCP, &code, &at, nullptr));
  if (!pattern_->code) {
    unsigned char text[256] = {};
    pcre2_get_error_message(code, text, sizeof text);
    throw Error(where,
                "the split pattern is not understood: " + std::string(reinterpret_cast<char*>(text)) +
                    " at character " + std::to_string(at),
                "", Exit::data);
  }
  pcre2_jit_compile(pattern_->code.get(), PCRE2_JIT_COMPLETE);  // without it matching is only slower
  pattern_->match.reset(pcre2_match_data_create_from_pattern(pattern_->code.get(), nullptr));
}

Splitter::Splitter(Splitter&&) noexcept = default;
Splitter::~Splitter() = default;

std::vector<std::string_view> Splitter::split(std::string_view text) const {
  std::vector<std::string_view> words;
  size_t done = 0, from = 0;
  while (from < text.size()) {
    const int n = pcre2_match(pattern_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                              PCRE2_NO_UTF_CHECK, pattern_->match.get(), nullptr);
    if (n < 0) break;
    const PCRE2_SIZE* span = pcre2_get_ovector_pointer(pattern_->match.get());
    if (span[1] == span[0]) {
      ++from;
      continue;
    }
    if (span[0] > done) words.push_back(text.substr(done, span[0] - done));
    words.push_back(text.substr(span[0], span[1] - span[0]));
    done = from = span[1];
  }
  if (done < text.size()) words.push_back(text.substr(done));
  return words;
}

}  // namespace compeer::language
