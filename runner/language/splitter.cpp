// Regular expressions of tokenizer files with PCRE2: translated from Oniguruma's syntax and Unicode version, with a
// limit on the time that a pattern may take.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "language/splitter.h"

#include <pcre2.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "base/error.h"
#include "language/text.h"

namespace compeer::language {

namespace {

constexpr const char* space = R"(\t-\r\x{85}\p{Z})";

struct Property {
  std::string_view name;
  const char* members;
};

// Characters that got the property in Unicode 15 or 16, which PCRE2 10.42 does not support.
constexpr Property added[] = {
    {"\\p{L}", R"(\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65})"
               R"(\x{10D6F}-\x{10D85}\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B}\x{1138E})"
               R"(\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10})"
               R"(\x{11F12}-\x{11F33}\x{1342F}\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
               R"(\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A}\x{1E030}-\x{1E06D})"
               R"(\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})"},
    {"\\p{N}", R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59}\x{16130}-\x{16139})"
               R"(\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})"},
    {"\\p{Lu}", R"(\x{1C89}\x{A7CB}-\x{A7CC}\x{A7DA}\x{A7DC}\x{10D50}-\x{10D65})"},
    {"\\p{Ll}", R"(\x{1C8A}\x{A7CD}\x{A7DB}\x{10D70}-\x{10D85}\x{1DF25}-\x{1DF2A})"},
    {"\\p{Lm}", R"(\x{10D4E}\x{10D6F}\x{16D40}-\x{16D42}\x{16D6B}-\x{16D6C}\x{1E030}-\x{1E06D}\x{1E4EB})"},
    {"\\p{Lo}", R"(\x{105C0}-\x{105F3}\x{10D4A}-\x{10D4D}\x{10D4F}\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240})"
                R"(\x{11380}-\x{11389}\x{1138B}\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3})"
                R"(\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F}\x{13441}-\x{13446})"
                R"(\x{13460}-\x{143FA}\x{16100}-\x{1611D}\x{16D43}-\x{16D6A}\x{18CFF}\x{1B132}\x{1B155})"
                R"(\x{1E4D0}-\x{1E4EA}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})"},
    {"\\p{M}", R"(\x{897}\x{CF3}\x{ECE}\x{10D69}-\x{10D6D}\x{10EFC}-\x{10EFF}\x{11241}\x{113B8}-\x{113C0}\x{113C2})"
               R"(\x{113C5}\x{113C7}-\x{113CA}\x{113CC}-\x{113D0}\x{113D2}\x{113E1}-\x{113E2}\x{11F00}-\x{11F01})"
               R"(\x{11F03}\x{11F34}-\x{11F3A}\x{11F3E}-\x{11F42}\x{11F5A}\x{13440}\x{13447}-\x{13455})"
               R"(\x{1611E}-\x{1612F}\x{1E08F}\x{1E4EC}-\x{1E4EF}\x{1E5EE}-\x{1E5EF})"},
    {"\\p{P}", R"(\x{1B4E}-\x{1B4F}\x{1B7F}\x{10D6E}\x{113D4}-\x{113D5}\x{113D7}-\x{113D8}\x{11B00}-\x{11B09})"
               R"(\x{11BE1}\x{11F43}-\x{11F4F}\x{16D6D}-\x{16D6F}\x{1E5FF})"},
    {"\\p{S}", R"(\x{2427}-\x{2429}\x{2FFC}-\x{2FFF}\x{31E4}-\x{31E5}\x{31EF}\x{10D8E}-\x{10D8F}\x{1CC00}-\x{1CCEF})"
               R"(\x{1CD00}-\x{1CEB3}\x{1F6DC}\x{1F774}-\x{1F776}\x{1F77B}-\x{1F77F}\x{1F7D9}\x{1F8B2}-\x{1F8BB})"
               R"(\x{1F8C0}-\x{1F8C1}\x{1FA75}-\x{1FA77}\x{1FA87}-\x{1FA89}\x{1FA8F}\x{1FAAD}-\x{1FAAF})"
               R"(\x{1FABB}-\x{1FABF}\x{1FAC6}\x{1FACE}-\x{1FACF}\x{1FADA}-\x{1FADC}\x{1FADF}\x{1FAE8}-\x{1FAE9})"
               R"(\x{1FAF7}-\x{1FAF8}\x{1FBCB}-\x{1FBEF})"},
};

// Translates a pattern from the left.
class Translation {
 public:
  Translation(const std::string& pattern, const std::string& where) : rest_(pattern), where_(where) {}

  std::string result() {
    while (!rest_.empty()) step();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(where_, "the split pattern has " + what + ", which is not supported", "", Exit::data);
  }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void copy(size_t n) {
    out_ += rest_.substr(0, n);
    rest_.remove_prefix(std::min(n, rest_.size()));
  }
  void set(const std::string& members) { out_ += sets_ ? members : "[" + members + "]"; }

  void step() {
    if (take("\\s")) return set(space);
    for (const Property& property : added) {
      if (take(property.name)) return set(std::string(property.name) + property.members);
    }
    if (!sets_ && take("\\S")) return set("^" + std::string(space));
    if (rest_.front() == '\\') return copy(2);
    if (rest_.front() == '[') return open();
    if (rest_.front() == ']' && sets_) return close();
    if (sets_ && rest_.starts_with("&&")) refuse("an intersection of sets");
    copy(1);
  }
  void open() {
    if (sets_ && rest_.starts_with("[:")) return copy(2);
    if (sets_ && rest_.starts_with("[^")) refuse("a negated set in a set");
    if (sets_++ > 0) return rest_.remove_prefix(1);
    copy(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with("]")) copy(1);
  }
  void close() {
    if (--sets_ > 0) return rest_.remove_prefix(1);
    copy(1);
  }

  std::string_view rest_;
  const std::string& where_;
  std::string out_;
  int sets_ = 0;  // number of open brackets
};

// Tokenizer files contain regular expressions of Oniguruma, with a newer Unicode version than PCRE2's. Returns the
// equivalent PCRE2 pattern for the constructs that tokenizers use: \s and \S are Unicode's White_Space; \p{L}, \p{N}
// and so on include the characters added since; nested sets are flattened. Throws Error (exit 4), located at `where`,
// for constructs without an equivalent.
std::string pcre_pattern(const std::string& pattern, const std::string& where) {
  return Translation(pattern, where).result();
}

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* it) const { release(it); }
};
using Code = std::unique_ptr<pcre2_code, Release<pcre2_code, pcre2_code_free>>;
using Limits = std::unique_ptr<pcre2_match_context, Release<pcre2_match_context, pcre2_match_context_free>>;
using Match = std::unique_ptr<pcre2_match_data, Release<pcre2_match_data, pcre2_match_data_free>>;

constexpr size_t longest_pattern = 20000;
constexpr uint64_t step_limit = 10'000'000, steps_per_byte = 256;  // real tokenizers take up to 13 per byte
constexpr uint32_t heap = 1 << 20;                                 // KiB, for PCRE2's interpreter

std::string message(int code) {
  unsigned char text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<char*>(text);
}

// Returns the largest number in a repetition, such as 3 in \p{N}{1,3}.
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

// Limits PCRE2's work on one text. PCRE2 calls `count` before each item of the pattern that it tries. Its own match
// limit restarts at each character, and does not count the characters that a single item skips or looks back at.
struct StepLimit {
  uint64_t limit, each, done = 0;  // each: cost of an item, for the characters that it may examine without matching
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

// Joins each match to the piece before it. `pieces` may be in reverse order, to join to the piece after it.
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
  uint64_t reach = 0;        // characters that an item may examine without matching
  bool refers_back = false;  // has a backreference, which may examine the whole text

  std::vector<Piece> pieces(std::string_view text) const;
  bool find(std::string_view text, size_t from, const Match& match, const Limits& limits, ByteSpan& span) const;
};

Splitter::Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior, bool invert)
    : pattern_(std::make_unique<Pattern>(Pattern{where, behavior, invert, nullptr, 0, false})) {
  if (pattern.size() > longest_pattern) throw Error(where, "the split pattern is too long", "", Exit::data);
  const std::string translated = pcre_pattern(pattern, where);
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern_->code.reset(pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT, &code, &at, nullptr));
  if (!pattern_->code) {
    throw Error(where, "the split pattern is invalid: " + message(code) + " at character " + std::to_string(at), "",
                Exit::data);
  }
  uint32_t back = 0, references = 0;
  pcre2_pattern_info(pattern_->code.get(), PCRE2_INFO_MAXLOOKBEHIND, &back);
  pcre2_pattern_info(pattern_->code.get(), PCRE2_INFO_BACKREFMAX, &references);
  pattern_->reach = std::max<uint64_t>(largest_repetition(translated), back);
  pattern_->refers_back = references > 0;
  pcre2_jit_compile(pattern_->code.get(), PCRE2_JIT_COMPLETE);  // if this fails, matching is only slower
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
                "use a tokenizer whose pattern needs less backtracking", Exit::data);
  if (n < 0) throw Error(where, "the split pattern fails on a text: " + message(n), "", Exit::data);
  const PCRE2_SIZE* found = pcre2_get_ovector_pointer(match.get());
  span = {found[0], found[1]};
  if (span.begin < from || span.end < span.begin)
    throw Error(where, "the split pattern matches backwards", "", Exit::data);
  return true;
}

// An empty match directly after another match is ignored, as with Oniguruma; the search continues one character later.
std::vector<Piece> Splitter::Pattern::pieces(std::string_view text) const {
  const Match match(pcre2_match_data_create_from_pattern(code.get(), nullptr));
  const Limits limits(pcre2_match_context_create(nullptr));
  StepLimit steps{step_limit + steps_per_byte * text.size(), 1 + (refers_back ? text.size() : reach) / 16};
  pcre2_set_callout(limits.get(), StepLimit::count, &steps);
  pcre2_set_match_limit(limits.get(), UINT32_MAX);  // `steps` limits it
  pcre2_set_heap_limit(limits.get(), heap);
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
