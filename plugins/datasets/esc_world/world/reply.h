#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {

/// What a sentence of a supporter does.
enum class Part { act, attunement, tail, artificial, safe };

/// One sentence, as the grammar knows it: a row of one of the lexicon's tables.
struct Sentence {
  Part part = Part::safe;
  int label = 0;     ///< act: strategy; attunement: emotion; tail: style; else 0
  int phrase = 0;    ///< which of the label's sentences
  int subject = -1;  ///< act: the subject that is named, -1 if none is

  bool operator==(const Sentence&) const = default;
};

/// A reply: one to three different sentences in any order, at most one act, one attunement, and one tail or
/// artificial phrase. A reply without an act or attunement needs a safe sentence.
struct Reply {
  std::vector<Sentence> sentences;

  /// The sentence of that kind, or null.
  const Sentence* find(Part part) const;
  std::optional<Strategy> strategy() const;  ///< of its act
  bool safe() const;                         ///< generic comfort: neither act nor attunement
  bool operator==(const Reply&) const = default;
};

bool grammatical(const Reply& reply);

/// The text of any grammatical reply, and back. `read` is exact for what the grammar can say, white space between
/// sentences apart, and gives nothing for anything else: a wrong, missing, added or swapped word included.
std::string say(const Reply& reply, const Lexicon& words);
std::optional<Reply> read(std::string_view text, const Lexicon& words);

/// A sentence's name, its subject left out: "act/question/3", "attunement/anger/0", "tail/influence/1", "safe/2".
std::string key(const Sentence& sentence);

}  // namespace compeer::esc_world
