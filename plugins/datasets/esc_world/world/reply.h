#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {

/// The function of a supporter's sentence.
enum class Part { act, attunement, tail, artificial, safe };

/// A sentence of the grammar: an entry of one of the lexicon's tables.
struct Sentence {
  Part part = Part::safe;
  int label = 0;     ///< act: strategy; attunement: emotion; tail: style; otherwise 0
  int phrase = 0;    ///< index among the label's sentences
  int subject = -1;  ///< act: index of the named subject, -1 if none

  bool operator==(const Sentence&) const = default;
};

/// A reply: one to three different sentences in any order, with at most one act, one attunement, and one tail or
/// artificial phrase. A reply without act and attunement must have a safe sentence.
struct Reply {
  std::vector<Sentence> sentences;

  /// Returns the first sentence of that kind, or null.
  const Sentence* find(Part part) const;
  std::optional<Strategy> strategy() const;  ///< returns the strategy of its act
  bool safe() const;                         ///< returns true for generic comfort: neither act nor attunement
  bool operator==(const Reply&) const = default;
};

/// Returns true if the reply satisfies these rules.
bool grammatical(const Reply& reply);

/// Convert a grammatical reply to its text and back: `read(say(reply)) == reply`. `read` ignores white space between
/// sentences and returns nothing for any other text, for example with a missing, added or swapped word.
std::string say(const Reply& reply, const Lexicon& words);
std::optional<Reply> read(std::string_view text, const Lexicon& words);

/// Returns the key of a sentence, without its subject: "act/question/3", "attunement/anger/0", "tail/influence/1",
/// "safe/2".
std::string key(const Sentence& sentence);

}  // namespace compeer::esc_world
