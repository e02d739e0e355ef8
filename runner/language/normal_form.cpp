#include "language/normal_form.h"

#include <algorithm>

namespace compeer::language {

namespace {

// Moves the edges of spans as text is copied piece by piece.
class Edges {
 public:
  explicit Edges(std::vector<ByteSpan>& spans) : spans_(spans) {}

  /// [begin, end) of the text stands at `at` as it was.
  void copied(size_t begin, size_t end, size_t at) {
    for (; next_ < 2 * spans_.size() && edge() <= end; ++next_) edge() = at + (edge() - begin);
  }
  /// What stood before `end` has become [at, at + size): a span that begins within it begins before it.
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

}  // namespace

std::string replaced(std::string_view text, const TextReplacement& replacement) {
  std::vector<ByteSpan> none;
  return replace_all(text, replacement, none);
}

std::string NormalForm::of(std::string_view text) const {
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

std::string NormalForm::of(std::string_view text, std::vector<ByteSpan>& spans) const {
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

}  // namespace compeer::language
