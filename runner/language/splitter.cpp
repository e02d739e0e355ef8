#define PCRE2_CODE_UNIT_WIDTH 8
#include "language/splitter.h"

#include <pcre2.h>

#include "base/error.h"
#include "language/pattern.h"
#include "language/text.h"

namespace compeer::language {

namespace {

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* it) const { release(it); }
};
using Code = std::unique_ptr<pcre2_code, Release<pcre2_code, pcre2_code_free>>;
using Limits = std::unique_ptr<pcre2_match_context, Release<pcre2_match_context, pcre2_match_context_free>>;
using Match = std::unique_ptr<pcre2_match_data, Release<pcre2_match_data, pcre2_match_data_free>>;

constexpr size_t kLongestPattern = 20000;
constexpr uint32_t kSteps = 10'000'000;  // before a match is given up; plus some for each byte of the text

std::string message(int code) {
  unsigned char text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<char*>(text);
}

}  // namespace

struct Splitter::Pattern {
  std::string where;
  Keep keep;
  Code code;

  // Where the next match is; a match of no characters counts as none.
  bool next(std::string_view text, size_t from, const Match& match, const Limits& limits, ByteSpan& span) const;
};

Splitter::Splitter(const std::string& pattern, const std::string& where, Keep keep)
    : pattern_(std::make_unique<Pattern>(Pattern{where, keep, nullptr})) {
  if (pattern.size() > kLongestPattern) throw Error(where, "the split pattern is too long", "", Exit::data);
  const std::string translated = pcre_pattern(pattern, where);
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &at, nullptr));
  if (!pattern_->code) {
    throw Error(where, "the split pattern is not understood: " + message(code) + " at character " + std::to_string(at),
                "", Exit::data);
  }
  pcre2_jit_compile(pattern_->code.get(), PCRE2_JIT_COMPLETE);  // without it matching is only slower
}

Splitter::Splitter(Splitter&&) noexcept = default;
Splitter::~Splitter() = default;

bool Splitter::Pattern::next(std::string_view text, size_t from, const Match& match, const Limits& limits,
                             ByteSpan& span) const {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  while (from < text.size()) {
    int n = pcre2_match(code.get(), subject, text.size(), from, PCRE2_NO_UTF_CHECK, match.get(), limits.get());
    if (n == PCRE2_ERROR_JIT_STACKLIMIT) {  // the interpreter keeps its state on the heap
      n = pcre2_match(code.get(), subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match.get(),
                      limits.get());
    }
    if (n == PCRE2_ERROR_NOMATCH) return false;
    if (n < 0) throw Error(where, "the split pattern fails on a text: " + message(n), "", Exit::data);
    const PCRE2_SIZE* found = pcre2_get_ovector_pointer(match.get());
    span = {found[0], found[1]};
    if (span.begin < from || span.end < span.begin)
      throw Error(where, "the split pattern matches backwards", "", Exit::data);
    if (span.begin < span.end) return true;
    if (span.end == text.size()) return false;
    from = span.end + first_character(text.substr(span.end)).length;
  }
  return false;
}

std::vector<std::string_view> Splitter::split(std::string_view text) const {
  const Match match(pcre2_match_data_create_from_pattern(pattern_->code.get(), nullptr));
  const Limits limits(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(limits.get(), kSteps + static_cast<uint32_t>(std::min<size_t>(text.size(), 1u << 26)) * 16);
  std::vector<std::string_view> words;
  const auto add = [&](size_t begin, size_t end, Keep unwanted) {
    if (end > begin && pattern_->keep != unwanted) words.push_back(text.substr(begin, end - begin));
  };
  size_t done = 0;
  for (ByteSpan span; pattern_->next(text, done, match, limits, span); done = span.end) {
    add(done, span.begin, Keep::matches);
    add(span.begin, span.end, Keep::gaps);
  }
  add(done, text.size(), Keep::matches);
  return words;
}

}  // namespace compeer::language
