// The steps of a tokenizer file around BPE: normalizer, pre-tokenizer and decoder.
#include "language/tokenizer_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "language/vocabulary.h"

namespace compeer::language {

namespace {

// Updates the edges of spans while text is copied piece by piece.
class Edges {
 public:
  explicit Edges(std::vector<ByteSpan>& spans) : spans_(spans) {}

  /// Bytes [begin, end) of the text were copied unchanged to `at`.
  void copied(size_t begin, size_t end, size_t at) {
    for (; next_ < 2 * spans_.size() && edge() <= end; ++next_) edge() = at + (edge() - begin);
  }
  /// The bytes before `end` were replaced by [at, at + size): a span that begins or ends within them is extended.
  void replaced(size_t end, size_t at, size_t size) {
    for (; next_ < 2 * spans_.size() && edge() < end; ++next_) edge() = next_ % 2 == 0 ? at : at + size;
  }

 private:
  size_t& edge() { return next_ % 2 == 0 ? spans_[next_ / 2].begin : spans_[next_ / 2].end; }

  std::vector<ByteSpan>& spans_;
  size_t next_ = 0;
};

std::string replace_all(std::string_view text, const TextReplacement& replacement, std::vector<ByteSpan>& spans) {
  std::string result;
  Edges edges(spans);
  for (size_t done = 0; done <= text.size();) {
    const size_t found = std::min(text.find(replacement.from, done), text.size());
    edges.copied(done, found, result.size());
    result += text.substr(done, found - done);
    if (found == text.size()) break;
    done = found + replacement.from.size();
    edges.replaced(done, result.size(), replacement.to.size());
    result += replacement.to;
  }
  return result;
}

std::string_view marked(std::string_view word, bool first, const Metaspace& step, std::deque<std::string>& changed) {
  const bool as_it_is = step.mark == " " || word.find(' ') == std::string_view::npos;
  if (!as_it_is) word = changed.emplace_back(replaced(word, {" ", step.mark}));
  const bool before =
      step.before == Metaspace::Before::every_piece || (step.before == Metaspace::Before::first_piece && first);
  if (!before || word.starts_with(step.mark)) return word;
  return changed.emplace_back(step.mark + std::string(word));
}

std::string with_replacements(std::string_view token, const std::vector<TextReplacement>& replacements) {
  std::string text(token);
  for (const TextReplacement& replacement : replacements) text = replaced(text, replacement);
  return text;
}

}  // namespace

std::string replaced(std::string_view text, const TextReplacement& replacement) {
  std::vector<ByteSpan> none;
  return replace_all(text, replacement, none);
}

std::string Normalizer::of(std::string_view text) const {
  std::string result(text);
  for (const auto& [kind, replacement] : steps_) {
    if (kind == Step::Kind::nfc) {
      result = normalize(result);
    } else if (kind == Step::Kind::prefix) {
      if (!result.empty()) result.insert(0, replacement.to);
    } else {
      result = replaced(result, replacement);
    }
  }
  return result;
}

std::string Normalizer::of(std::string_view text, std::vector<ByteSpan>& spans) const {
  std::string result(text);
  for (const auto& [kind, replacement] : steps_) {
    if (kind == Step::Kind::nfc) {
      result = normalize(result, spans);
    } else if (kind == Step::Kind::prefix) {
      if (result.empty()) continue;
      result.insert(0, replacement.to);
      for (ByteSpan& span : spans) span = {span.begin + replacement.to.size(), span.end + replacement.to.size()};
    } else {
      result = replace_all(result, replacement, spans);
    }
  }
  return result;
}

PreTokenizedText PreTokenizer::split(std::string_view text, bool first) const {
  PreTokenizedText result{{text}, {}};
  for (const auto& step : steps_) {
    if (const auto* mark = std::get_if<Metaspace>(&step)) {
      for (size_t i = 0; i < result.words.size(); ++i)
        result.words[i] = marked(result.words[i], first && i == 0, *mark, result.changed);
      continue;
    }
    const auto& splitter = std::get<Splitter>(step);
    std::vector<std::string_view> parts;
    for (size_t i = 0; i < result.words.size(); ++i) {
      const auto more = splitter.split(result.words[i]);
      // If the front of the text was removed, the first piece left is not its beginning.
      if (i == 0 && (more.empty() || more.front().data() != result.words[0].data())) first = false;
      parts.insert(parts.end(), more.begin(), more.end());
    }
    result.words = std::move(parts);
  }
  return result;
}

std::string byte_token(uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<uint8_t> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return {};
  uint8_t byte = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  if (error != std::errc() || end != token.data() + 5) return {};
  return byte;
}

bool TokenDecoder::is_byte(std::string_view token) const {
  return byte_fallback && byte_of_token(with_replacements(token, replacements)).has_value();
}

std::string TokenDecoder::bytes(std::string_view token) const {
  if (byte_level) return unspell_bytes(token);
  std::string text = with_replacements(token, replacements);
  const auto byte = byte_fallback ? byte_of_token(text) : std::nullopt;
  return byte ? std::string(1, static_cast<char>(*byte)) : text;
}

}  // namespace compeer::language
