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
constexpr uint64_t kSteps = 10'000'000, kStepsPerByte = 256;  // real tokenizers take up to 13 a byte
constexpr uint32_t kHeap = 1 << 20;                           // KiB, of PCRE2's interpreter

std::string message(int code) {
  unsigned char text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<char*>(text);
}

// The largest number of a repetition, such as 3 of \p{N}{1,3}.
uint64_t largest_repetition(std::string_view pattern) {
  uint64_t largest = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      const bool named = i + 2 < pattern.size() && pattern[i + 2] == '{' &&
                         std::string_view("xpPoNkg").find(pattern[i + 1]) != std::string_view::npos;
      i = named ? std::min(pattern.find('}', i), pattern.size()) : i + 1;
    } else if (pattern[i] == '{') {
      uint64_t number = 0;
      for (; i + 1 < pattern.size() &&
             (std::isdigit(static_cast<unsigned char>(pattern[i + 1])) || pattern[i + 1] == ',');
           ++i) {
        number = pattern[i + 1] == ','
                     ? 0
                     : std::min<uint64_t>(number * 10 + static_cast<uint64_t>(pattern[i + 1] - '0'), 1 << 20);
        largest = std::max(largest, number);
      }
    }
  }
  return largest;
}

// Work of PCRE2 on one text. It calls `count` before each item of the pattern that it tries. Its own limit on steps
// begins anew at each character, and leaves out what a single item passes over or looks back at.
struct StepLimit {
  uint64_t limit, each, done = 0;  // `each`: of an item, in proportion to the characters that it may look at in vain
  size_t at = 0;

  static int count(pcre2_callout_block* block, void* steps) {
    auto& self = *static_cast<StepLimit*>(steps);
    const size_t at = block->current_position;
    self.done += self.each + std::max(at, self.at) - std::min(at, self.at);
    self.at = at;
    return self.done > self.limit ? PCRE2_ERROR_MATCHLIMIT : 0;
  }
};

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
  uint64_t reach = 0;        // characters that an item of the pattern may look at in vain
  bool refers_back = false;  // an item may look at all of the text

  std::vector<Piece> pieces(std::string_view text) const;
  bool find(std::string_view text, size_t from, const Match& match, const Limits& limits, ByteSpan& span) const;
};

Splitter::Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior, bool invert)
    : pattern_(std::make_unique<Pattern>(Pattern{where, behavior, invert, nullptr, 0, false})) {
  if (pattern.size() > kLongestPattern) throw Error(where, "the split pattern is too long", "", Exit::data);
  const std::string translated = pcre_pattern(pattern, where);
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern_->code.reset(pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT, &code, &at, nullptr));
  if (!pattern_->code) {
    throw Error(where, "the split pattern is not understood: " + message(code) + " at character " + std::to_string(at),
                "", Exit::data);
  }
  uint32_t back = 0, references = 0;
  pcre2_pattern_info(pattern_->code.get(), PCRE2_INFO_MAXLOOKBEHIND, &back);
  pcre2_pattern_info(pattern_->code.get(), PCRE2_INFO_BACKREFMAX, &references);
  pattern_->reach = std::max<uint64_t>(largest_repetition(translated), back);
  pattern_->refers_back = references > 0;
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
  if (n == PCRE2_ERROR_MATCHLIMIT)
    throw Error(where, "the split pattern takes too many steps on a text of " + std::to_string(text.size()) + " bytes",
                "use a tokenizer whose pattern repeats less and looks back less", Exit::data);
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
  StepLimit steps{kSteps + kStepsPerByte * text.size(), 1 + (refers_back ? text.size() : reach) / 16};
  pcre2_set_callout(limits.get(), StepLimit::count, &steps);
  pcre2_set_match_limit(limits.get(), UINT32_MAX);  // `steps` ends it earlier
  pcre2_set_heap_limit(limits.get(), kHeap);
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
