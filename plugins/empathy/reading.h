#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "empathy/format.h"
#include "empathy/judgement.h"

namespace compeer::empathy {

/// Lenient parsers of chat models' answers. Models surround the requested answer with other text: a thought, a code
/// fence, bold type, quotes, "Answer:", a preface ("Sure! Here is ..."), an explanation, a JSON object. These functions
/// remove it. They never guess: an answer that names two labels as its own, asks a question or negates its label is
/// refused with a reason.
///
/// Completions of a policy and answers of a trained judge are parsed strictly instead (format.h, judgement.h), because
/// their form is part of what is measured.

/// Returns the answer without a preceding thought ("<think>...</think>", similar tags, channels), end-of-turn tokens
/// ("<|im_end|>") and code fence lines; trimmed. Refused if nothing is left or the thought is not closed.
ParseResult<std::string> answer_in(std::string_view text);

/// Returns the JSON object or list in an answer, with any text around it; discarded (`is_discarded()`) if there is
/// none.
nlohmann::json json_in(std::string_view answer);

/// Returns the index of the answer that `text` gives. An answer is recognized if it is the whole text, a whole line or
/// a whole sentence, is introduced ("the answer is ...", "答案：..."), begins the text, is the only one in bold type,
/// or is a value of a JSON object. Ignores case, full-width forms, and "-" and "_" in place of a space.
ParseResult<size_t> read(const Answers& answers, std::string_view text);
/// The same, converted to the value the answer stands for.
template <class Value>
ParseResult<Value> read(const ValueAnswers<Value>& words, std::string_view text) {
  return words.value_of(read(words.answers(), text));
}

/// Parses a persona: each trait after its name, in any order and with other text between them ("**Dominance:** 7/10"),
/// or a JSON object; the manner is optional. Refused if a trait has no whole number from 0 to 10, or two different
/// ones.
ParseResult<Disc> read_disc(std::string_view text);

/// Parses three steps and a reply. Ignores text before the first tag, and a label ("Reply:"), tags or quotes around the
/// reply. Also accepts a JSON object with "history", "emotion", "strategy" and "reply". Otherwise as strict as
/// empathy::parse.
Parsed read_completion(std::string_view text);

/// Returns the texts of the lines numbered 1 to `count` ("1: text", "1. text", "**1)** text"), without a speaker's
/// name. Ignores lines before the first, and those after an empty line that follows the last. Also accepts a JSON list
/// of texts.
ParseResult<std::vector<std::string>> read_lines(std::string_view text, size_t count);

}  // namespace compeer::empathy
