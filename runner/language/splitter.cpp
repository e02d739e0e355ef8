#define PCRE2_CODE_UNIT_WIDTH 8
#include "language/splitter.h"

#include <pcre2.h>

#include <algorithm>
#include <cctype>

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

struct Piece {
  ByteSpan span;
  bool match;
};

// Matches that join a neighbour: the one before each, of a list that may stand the wrong way round.
std::vector<ByteSpan> joined(const std::vector<Piece>& pieces) {
  std::vector<ByteSpan> result;
  bool after_match = false;
  for (const Piece& piece : pieces) {
    if (piece.match && !after_match && !result.empty()) {
      result.back() = {std::min(result.back().begin, piece.span.begin), std::max(result.back().end, piece.span.end)};
    } else {
      result.push_back(piece.span);
    }
    after_match = piece.match;
  }
  return result;
}

std::vector<ByteSpan> runs(const std::vector<Piece>& pieces) {
  std::vector<ByteSpan> result;
  bool after_match = false;
  for (const Piece& piece : pieces) {
    if (piece.match == after_match && !result.empty()) {
      result.back().end = piece.span.end;
    } else {
      result.push_back(piece.span);
    }
    after_match = piece.match;
  }
  return result;
}

std::vector<ByteSpan> kept(const std::vector<Piece>& pieces, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::merged_with_previous:
      return joined(pieces);
    case SplitBehavior::merged_with_next: {
      auto result = joined({pieces.rbegin(), pieces.rend()});
      std::reverse(result.begin(), result.end());
      return result;
    }
    case SplitBehavior::contiguous:
      return runs(pieces);
    default: {
      std::vector<ByteSpan> result;
      for (const Piece& piece : pieces) {
        if (!piece.match || behavior == SplitBehavior::isolated) result.push_back(piece.span);
      }
      return result;
    }
  }
}

}  // namespace

struct Splitter::Pattern {
  std::string where;
  SplitBehavior behavior;
  bool invert;
  Code code;

  std::vector<Piece> pieces(std::string_view text) const;
  bool find(std::string_view text, size_t from, const Match& match, const Limits& limits, ByteSpan& span) const;
};

Splitter::Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior, bool invert)
    : pattern_(std::make_unique<Pattern>(Pattern{where, behavior, invert, nullptr})) {
  if (pattern.size() > kLongestPattern) throw Error(where, "the split pattern is too long", "", Exit::data);
  const std::string translated = pcre_pattern(pattern, where);
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code, &at,
                                     nullptr));
  if (!pattern_->code) {
    throw Error(where, "the split pattern is not understood: " + message(code) + " at character " + std::to_string(at),
                "", Exit::data);
  }
  pcre2_jit_compile(pattern_->code.get(), PCRE2_JIT_COMPLETE);  // without it matching is only slower
}

Splitter::Splitter(Splitter&&) noexcept = default;
Splitter::~Splitter() = default;

bool Splitter::Pattern::find(std::string_view text, size_t from, const Match& match, const Limits& limits,
                             ByteSpan& span) const {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
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
  return true;
}

// A match of no characters directly behind another match is none, as Oniguruma's users have it; the search goes on
// a character further.
std::vector<Piece> Splitter::Pattern::pieces(std::string_view text) const {
  const Match match(pcre2_match_data_create_from_pattern(code.get(), nullptr));
  const Limits limits(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(limits.get(), kSteps + static_cast<uint32_t>(std::min<size_t>(text.size(), 1u << 26)) * 16);
  std::vector<Piece> result;
  size_t done = 0, from = 0;
  bool after_match = false;
  for (ByteSpan span; from <= text.size() && find(text, from, match, limits, span);) {
    if (span.begin == span.end && after_match && span.end == done) {
      from = span.end == text.size() ? text.size() + 1 : span.end + first_character(text.substr(span.end)).length;
      continue;
    }
    if (done < span.begin) result.push_back({{done, span.begin}, invert});
    result.push_back({span, !invert});
    done = from = span.end;
    after_match = true;
  }
  if (done < text.size()) result.push_back({{done, text.size()}, invert});
  return result;
}

std::vector<std::string_view> Splitter::split(std::string_view text) const {
  std::vector<std::string_view> words;
  for (const ByteSpan& span : kept(pattern_->pieces(text), pattern_->behavior)) {
    if (span.begin < span.end) words.push_back(text.substr(span.begin, span.end - span.begin));
  }
  return words;
}

std::string escaped_pattern(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80 && !std::isalnum(static_cast<unsigned char>(c))) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace compeer::language
