#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "empathy/format.h"
#include "empathy/judgement.h"

// Lenient parsers of chat models' answers, for stages and judges that ask such models. The strict parsers are in
// format.h and judgement.h.
//
// Chat models surround the requested answer with other text: a thought, a code fence, bold type, quotes, "Answer:", a
// preface ("Sure! Here is ..."), an explanation, a JSON object. These functions remove it. They never guess: an answer
// that names two labels as its own, asks a question or negates its label is refused. A refusal is a result without a
// value, with the reason as text.
//
// Completions of a policy (the trained model) and answers of a trained judge are parsed strictly instead, because their
// form is part of the measurement.

namespace compeer::empathy {

/// Returns the text of an answer without a preceding thought ("<think>...</think>", similar tags, channels),
/// end-of-turn tokens
/// ("<|im_end|>") and code fence lines; trimmed. Refused if nothing is left or the thought is not closed.
ParseResult<std::string> answer_in(std::string_view text);

/// Parses the JSON object or list in an answer, which may have any text around it. Returns a discarded value
/// (`is_discarded()`) if the answer contains none.
nlohmann::json json_in(std::string_view answer);

/// Returns the index in `answers` (labels such as "first" and "second") of the one that `text` gives, or a refusal. An
/// answer is recognized if it is the whole text, a whole line or a whole sentence, is introduced ("the answer is ...",
/// "答案：..."), begins the text, is the only one in bold type, or is a value of a JSON object. Ignores case,
/// full-width forms, and "-" and "_" in place of a space.
ParseResult<size_t> read(const Answers& answers, std::string_view text);
/// Returns the value of the answer that `text` gives, for a set of answers with values; as lenient as the overload for
/// Answers.
template <class Value>
ParseResult<Value> read(const ValueAnswers<Value>& words, std::string_view text) {
  return words.value_of(read(words.answers(), text));
}

/// Parses a persona (the four DISC traits, 0 to 10, and the manner of speaking): each trait after its name, in any
/// order and with other text between them ("**Dominance:** 7/10"), or a JSON object; the manner is optional. Refused if
/// a trait has no whole number from 0 to 10, or two different ones.
ParseResult<Disc> read_disc(std::string_view text);

/// Parses a completion: the three reasoning steps in their tags, and the reply. Ignores text before the first tag, and
/// a label ("Reply:"), tags or quotes around the reply. Also accepts a JSON object with "history", "emotion",
/// "strategy" and "reply". Otherwise as strict as `parse` in format.h.
Parsed read_completion(std::string_view text);

/// Returns the texts of the lines numbered 1 to `count` ("1: text", "1. text", "**1)** text"), without a speaker's
/// name. Ignores lines before the first, and those after an empty line that follows the last. Also accepts a JSON list
/// of texts.
ParseResult<std::vector<std::string>> read_lines(std::string_view text, size_t count);

}  // namespace compeer::empathy
