#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"

// The grammar of replies in the generated world of the data set esc_world. A supporter answers a seeker, a person in
// need of emotional support. A reply is a list of sentences from the lexicon's tables. It can be converted to text and
// parsed again, so the quality of any text that follows the grammar is known.

namespace compeer::esc_world {

/// The function of a supporter's sentence.
enum class Part {
  act,         ///< applies a strategy, such as question or suggestion, to the seeker's subject
  attunement,  ///< responds to an emotion
  tail,        ///< addresses a DISC style
  artificial,  ///< a phrase that no person would say
  safe,        ///< generic comfort
};

/// A sentence of the grammar: an entry of one of the lexicon's tables.
struct Sentence {
  Part part = Part::safe;
  int label = 0;     ///< value of the label. act: Strategy; attunement: Emotion; tail: Style; otherwise 0
  int phrase = 0;    ///< index among the lexicon's sentences with this part and label
  int subject = -1;  ///< only for an act: index of the named subject; -1: none is named

  bool operator==(const Sentence&) const = default;
};

/// A reply: one to three different sentences in any order, with at most one act, one attunement, and one tail or
/// artificial phrase. A reply without act and attunement must have a safe sentence.
struct Reply {
  std::vector<Sentence> sentences;  ///< in the order of the text

  /// Returns the first sentence with this function, or null. Owned by the reply.
  const Sentence* find(Part part) const;
  std::optional<Strategy> strategy() const;  ///< returns the strategy of its act; empty without an act
  bool safe() const;                         ///< returns true for generic comfort: neither act nor attunement
  bool operator==(const Reply&) const = default;
};

/// True if the reply satisfies these rules.
bool grammatical(const Reply& reply);

/// Converts a grammatical reply to its text. `words`: the lexicon of the text's language.
std::string say(const Reply& reply, const Lexicon& words);
/// Parses a text: `read(say(reply)) == reply`. Ignores white space between sentences. Empty for any other text, for
/// example one with a missing, added or swapped word.
std::optional<Reply> read(std::string_view text, const Lexicon& words);

/// Returns the key of a sentence, a name without its subject that identifies the phrase: "act/question/3",
/// "attunement/anger/0", "tail/influence/1", "safe/2".
std::string key(const Sentence& sentence);

}  // namespace compeer::esc_world
