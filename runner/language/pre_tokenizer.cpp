#include "language/pre_tokenizer.h"

#include "language/normal_form.h"

namespace compeer::language {

namespace {

std::string_view marked(std::string_view word, bool first, const SpaceMark& step, std::deque<std::string>& changed) {
  const bool as_it_is = step.mark == " " || word.find(' ') == std::string_view::npos;
  if (!as_it_is) word = changed.emplace_back(replaced(word, {" ", step.mark}));
  const bool before =
      step.before == SpaceMark::Before::every_piece || (step.before == SpaceMark::Before::first_piece && first);
  if (!before || word.starts_with(step.mark)) return word;
  return changed.emplace_back(step.mark + std::string(word));
}

}  // namespace

PreTokenizedText PreTokenizer::cut(std::string_view text, bool first) const {
  PreTokenizedText result{{text}, {}};
  for (const auto& step : steps_) {
    if (const auto* mark = std::get_if<SpaceMark>(&step)) {
      for (size_t i = 0; i < result.words.size(); ++i)
        result.words[i] = marked(result.words[i], first && i == 0, *mark, result.changed);
      continue;
    }
    const auto& splitter = std::get<Splitter>(step);
    std::vector<std::string_view> parts;
    for (size_t i = 0; i < result.words.size(); ++i) {
      const auto more = splitter.split(result.words[i]);
      // Where the front of the text is removed, what is left doesn't begin it.
      if (i == 0 && (more.empty() || more.front().data() != result.words[0].data())) first = false;
      parts.insert(parts.end(), more.begin(), more.end());
    }
    result.words = std::move(parts);
  }
  return result;
}

}  // namespace compeer::language
