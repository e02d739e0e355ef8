// Matches added tokens in text.
#include "language/added_tokens.h"

#include <algorithm>

namespace compeer::language {

namespace {

// Finds the span of `plain` that a place overlaps. Places must be passed from left to right.
class Plain {
 public:
  explicit Plain(std::span<const ByteSpan> spans) : spans_(spans) {}
  const ByteSpan* touched(ByteSpan place) {
    while (next_ < spans_.size() && (spans_[next_].end <= place.begin || spans_[next_].begin == spans_[next_].end))
      ++next_;
    return next_ < spans_.size() && spans_[next_].begin < place.end ? &spans_[next_] : nullptr;
  }

 private:
  std::span<const ByteSpan> spans_;
  size_t next_ = 0;
};

bool stands_alone(std::string_view text, ByteSpan place) {
  const auto before = text.substr(0, place.begin), after = text.substr(place.end);
  return (before.empty() || !is_word(last_character(before).code)) &&
         (after.empty() || !is_word(first_character(after).code));
}

size_t begin_of_space(std::string_view text) {
  while (!text.empty() && is_space(last_character(text).code)) text.remove_suffix(last_character(text).length);
  return text.size();
}

size_t end_of_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    const auto character = first_character(text.substr(at));
    if (!is_space(character.code)) break;
    at += character.length;
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) { return a.text < b.text; });
  for (const AddedToken& token : tokens_) begins_[static_cast<unsigned char>(token.text.front())] = true;
}

// Tokens that share the first n bytes of `text` are adjacent in tokens_: the range shrinks byte by byte.
const AddedToken* AddedTokens::longest_at(std::string_view text) const {
  const AddedToken* longest = nullptr;
  auto first = tokens_.begin(), last = tokens_.end();
  for (size_t n = 0; n < text.size() && first != last; ++n) {
    const auto byte = static_cast<unsigned char>(text[n]);
    const auto at = [n](const AddedToken& token) {
      return n < token.text.size() ? static_cast<int>(static_cast<unsigned char>(token.text[n])) : -1;
    };
    first = std::partition_point(first, last, [&](const AddedToken& token) { return at(token) < byte; });
    last = std::partition_point(first, last, [&](const AddedToken& token) { return at(token) == byte; });
    if (first != last && first->text.size() == n + 1) longest = &*first;
  }
  return longest;
}

bool AddedTokens::is_separable(std::string_view token) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(), [&](const auto& t) { return t.text == token; });
  if (found == tokens_.end() || found->lstrip || found->single_word) return false;
  const int32_t first = first_character(token).code;
  if (is_word(first) || is_space(first)) return false;
  return std::all_of(tokens_.begin(), tokens_.end(), [&](const AddedToken& other) {
    const std::string_view text = other.text;
    for (size_t at = &other == &*found ? 1 : 0; at < text.size(); ++at) {
      if (token.starts_with(text.substr(at)) || text.substr(at).starts_with(token)) return false;
    }
    return true;
  });
}

std::vector<AddedTokens::Piece> AddedTokens::split(std::string_view text, std::span<const ByteSpan> plain) const {
  std::vector<Piece> pieces;
  Plain spans(plain);
  size_t done = 0, at = 0;
  while (at < text.size()) {
    const auto* token = begins_[static_cast<unsigned char>(text[at])] ? longest_at(text.substr(at)) : nullptr;
    if (!token) {
      ++at;
      continue;
    }
    ByteSpan place{at, at + token->text.size()};
    if (const ByteSpan* touched = token->special ? spans.touched(place) : nullptr) {
      // A match inside a span is skipped as a whole; one that extends beyond it must not hide a token that begins
      // outside.
      at = touched->begin <= place.begin && place.end <= touched->end ? place.end : at + 1;
      continue;
    }
    at = place.end;
    if (token->single_word && !stands_alone(text, place)) continue;
    if (token->lstrip) place.begin = std::max(done, begin_of_space(text.substr(0, place.begin)));
    if (token->rstrip) place.end = end_of_space(text, place.end);
    if (done < place.begin) pieces.push_back({{done, place.begin}, -1});
    pieces.push_back({place, static_cast<int32_t>(token->id)});
    done = place.end;
  }
  if (done < text.size()) pieces.push_back({{done, text.size()}, -1});
  return pieces;
}

}  // namespace compeer::language
