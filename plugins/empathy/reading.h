#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "empathy/format.h"
#include "empathy/judgement.h"

namespace compeer::empathy {

/// How answers of chat models are read. Models put things around what they were asked for: a thought, a code fence,
/// bold letters, quotes, "Answer:", a preface ("Sure! Here is ..."), an explanation behind it, an object of JSON. All
/// of it is taken off here and nowhere else. What is left is never guessed: an answer that names two labels as its own,
/// asks, or negates one is refused, and the refusal says why.
///
/// A policy's completion and what a judge of ours says are read strictly (format.h, judgement.h): there the form is
/// what is measured.

/// The answer without a thought before it ("<think>...</think>", other models' tags for it, channels) and without what
/// ends a turn ("<|im_end|>") and lines that open or close a code fence; trimmed. Refused if there is nothing, or the
/// thought has no end.
Judged<std::string> answer_in(std::string_view text);

/// The object or list in an answer, whatever stands around it; discarded (`is_discarded()`) if there is none.
nlohmann::json json_in(std::string_view answer);

/// One of the answers: it is the whole answer or stands alone on a line or in a sentence, is introduced ("the answer is
/// ...", "答案：..."), begins the answer, is the only thing in bold letters, or the value in an object of JSON. Upper
/// and lower case, width of characters, "-" and "_" for a space do not matter.
Judged<size_t> read(const Answers& answers, std::string_view text);
template <class Value>
Judged<Value> read(const ValueAnswers<Value>& words, std::string_view text) {
  return words.value_of(read(words.answers(), text));
}

/// Four traits, each by its name, in any order and with anything between them ("**Dominance:** 7/10"), or as an object
/// of JSON; the manner, if there is one. Refused if a trait has no whole number from 0 to 10, or two.
Judged<Disc> read_disc(std::string_view text);

/// Three steps and a reply; what stands before the first tag is no part of it, nor are a name, tags or quotes around
/// the reply. Or an object of JSON with "history", "emotion", "strategy", "reply". What format.h refuses in that, is
/// refused.
Parsed read_completion(std::string_view text);

/// The texts of lines numbered from 1 to `count`: "1: text", "1. text", "**1)** text"; without the speaker's name. What
/// stands before the first, and after an empty line behind the last, is no part of it. Or a list of JSON.
Judged<std::vector<std::string>> read_lines(std::string_view text, size_t count);

}  // namespace compeer::empathy
