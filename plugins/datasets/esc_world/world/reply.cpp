// The grammar of replies: generation and parsing.
#include "datasets/esc_world/world/reply.h"

#include <algorithm>

#include "datasets/esc_world/world/lexicon.h"

namespace compeer::esc_world {
namespace {

constexpr std::string_view slot = "{s}";

const std::string& text_of(const Sentence& sentence, const Lexicon& words) {
  const size_t label = static_cast<size_t>(sentence.label), phrase = static_cast<size_t>(sentence.phrase);
  switch (sentence.part) {
    case Part::act:
      return words.acts.at(label).at(phrase);
    case Part::attunement:
      return words.attunements.at(label).at(phrase);
    case Part::tail:
      return words.tails.at(label).at(phrase);
    case Part::artificial:
      return words.artificial.at(phrase);
    case Part::safe:
      break;
  }
  return words.safe.at(phrase);
}

/// Returns the subject of a slot's text: -1 for the unnamed subject, empty if it is none of the lexicon's.
std::optional<int> read_filler(std::string_view filler, const Lexicon& words) {
  if (filler == words.unnamed) return -1;
  for (int subject = 0; subject < subjects; ++subject) {
    if (filler == fill(words.yours, slot, words.subject(subject))) return subject;
  }
  return std::nullopt;
}

/// Returns the slot's text in a sentence, if the words around it are those of the phrase.
std::optional<std::string_view> filler_of(std::string_view text, std::string_view phrase) {
  const size_t at = phrase.find(slot);
  const std::string_view before = phrase.substr(0, at), behind = phrase.substr(at + slot.size());
  if (text.size() <= before.size() + behind.size()) return std::nullopt;
  if (!text.starts_with(before) || !text.ends_with(behind)) return std::nullopt;
  return text.substr(before.size(), text.size() - before.size() - behind.size());
}

std::optional<Sentence> read_act(std::string_view text, const Lexicon& words) {
  for (size_t label = 0; label < words.acts.size(); ++label) {
    for (size_t phrase = 0; phrase < words.acts[label].size(); ++phrase) {
      const auto filler = filler_of(text, words.acts[label][phrase]);
      const auto subject = filler ? read_filler(*filler, words) : std::nullopt;
      if (subject) return Sentence{Part::act, static_cast<int>(label), static_cast<int>(phrase), *subject};
    }
  }
  return std::nullopt;
}

std::optional<int> place_in(const std::vector<std::string>& phrases, std::string_view text) {
  const auto found = std::find(phrases.begin(), phrases.end(), text);
  if (found == phrases.end()) return std::nullopt;
  return static_cast<int>(found - phrases.begin());
}

template <class Tables>
std::optional<Sentence> read_labelled(std::string_view text, Part part, const Tables& tables) {
  for (size_t label = 0; label < tables.size(); ++label) {
    if (const auto phrase = place_in(tables[label], text)) return Sentence{part, static_cast<int>(label), *phrase};
  }
  return std::nullopt;
}

std::optional<Sentence> read_sentence(std::string_view text, const Lexicon& words) {
  if (auto act = read_act(text, words)) return act;
  if (auto attunement = read_labelled(text, Part::attunement, words.attunements)) return attunement;
  if (auto tail = read_labelled(text, Part::tail, words.tails)) return tail;
  if (const auto phrase = place_in(words.artificial, text)) return Sentence{Part::artificial, 0, *phrase};
  if (const auto phrase = place_in(words.safe, text)) return Sentence{Part::safe, 0, *phrase};
  return std::nullopt;
}

std::string_view label_name(const Sentence& sentence) {
  switch (sentence.part) {
    case Part::act:
      return empathy::name(static_cast<Strategy>(sentence.label));
    case Part::attunement:
      return empathy::name(static_cast<Emotion>(sentence.label));
    case Part::tail:
      return name(static_cast<Style>(sentence.label));
    default:
      return "";
  }
}

}  // namespace

const Sentence* Reply::find(Part part) const {
  for (const Sentence& sentence : sentences) {
    if (sentence.part == part) return &sentence;
  }
  return nullptr;
}

std::optional<Strategy> Reply::strategy() const {
  const Sentence* act = find(Part::act);
  return act ? std::optional(static_cast<Strategy>(act->label)) : std::nullopt;
}

bool Reply::safe() const { return !find(Part::act) && !find(Part::attunement); }

bool grammatical(const Reply& reply) {
  const auto count = [&](Part part) {
    return std::count_if(reply.sentences.begin(), reply.sentences.end(),
                         [&](const Sentence& sentence) { return sentence.part == part; });
  };
  for (size_t i = 0; i < reply.sentences.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (key(reply.sentences[i]) == key(reply.sentences[j])) return false;
    }
  }
  if (reply.sentences.empty() || reply.sentences.size() > 3) return false;
  if (count(Part::act) > 1 || count(Part::attunement) > 1) return false;
  if (count(Part::tail) + count(Part::artificial) > 1) return false;
  return !reply.safe() || count(Part::safe) > 0;
}

std::string say(const Reply& reply, const Lexicon& words) {
  std::vector<std::string> texts;
  for (const Sentence& sentence : reply.sentences) {
    const std::string filler =
        sentence.subject < 0 ? words.unnamed : fill(words.yours, slot, words.subject(sentence.subject));
    texts.push_back(fill(text_of(sentence, words), slot, filler));
  }
  return join(texts);
}

std::optional<Reply> read(std::string_view text, const Lexicon& words) {
  Reply reply;
  for (const std::string& sentence : sentences_of(text)) {
    const auto known = read_sentence(sentence, words);
    if (!known) return std::nullopt;
    reply.sentences.push_back(*known);
  }
  if (!grammatical(reply)) return std::nullopt;
  return reply;
}

std::string key(const Sentence& sentence) {
  static constexpr std::array<std::string_view, 5> parts = {"act", "attunement", "tail", "artificial", "safe"};
  std::string text(parts.at(static_cast<size_t>(sentence.part)));
  if (const std::string_view label = label_name(sentence); !label.empty()) text += "/" + std::string(label);
  return text + "/" + std::to_string(sentence.phrase);
}

}  // namespace compeer::esc_world
