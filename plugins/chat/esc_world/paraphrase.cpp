#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/slots.h"

namespace compeer::esc_world {
namespace {

using Uniform = Player::Uniform;

size_t below(size_t count, double uniform) { return static_cast<size_t>(uniform * static_cast<double>(count)); }

/// Another of so many phrases, if there is one.
size_t other(size_t count, size_t now, double uniform) {
  return count < 2 ? now : (now + 1 + below(count - 1, uniform)) % count;
}

std::string supporter(const Reply& reply, Style style, const Lexicon& words, const Uniform& uniform) {
  Reply said = reply;
  for (uint32_t i = 0; i < said.sentences.size(); ++i) {
    Sentence& sentence = said.sentences[i];
    const auto label = static_cast<size_t>(sentence.label), phrase = static_cast<size_t>(sentence.phrase);
    size_t count = 0;
    if (sentence.part == Part::act) count = words.acts[label].size();
    if (sentence.part == Part::attunement) count = words.attunements[label].size();
    if (sentence.part == Part::tail) {
      sentence.label = static_cast<int>(style);
      count = words.tails[static_cast<size_t>(style)].size();
    }
    if (count > 0) sentence.phrase = static_cast<int>(other(count, std::min(phrase, count - 1), uniform(i)));
  }
  return say(said, words);
}

/// One of the table's phrases, if the sentence is one, as another of them. `filled` makes its text.
template <class Filled>
bool swap_phrase(std::string& sentence, const std::vector<std::string>& table, double uniform, Filled&& filled) {
  for (size_t i = 0; i < table.size(); ++i) {
    if (filled(table[i]) != sentence) continue;
    sentence = filled(table[other(table.size(), i, uniform)]);
    return true;
  }
  return false;
}

bool swap_cue(std::string& sentence, const Lexicon& words, double uniform) {
  for (const auto& table : words.cues) {
    for (const auto& strength : words.intensities) {
      for (const std::string& word : strength) {
        const auto filled = [&](const std::string& phrase) { return fill(phrase, "{i}", word); };
        if (swap_phrase(sentence, table, uniform, filled)) return true;
      }
    }
  }
  return false;
}

bool swap_subject(std::string& sentence, const Lexicon& words, double uniform) {
  for (int subject = 0; subject < subjects; ++subject) {
    const auto& problem = words.problem[static_cast<size_t>(subject / subjects_each)];
    const auto filled = [&](const std::string& phrase) {
      return fill(fill(phrase, "{s}", words.subject(subject)), "{c}", problem.context);
    };
    if (swap_phrase(sentence, words.facts, uniform, filled)) return true;
    if (swap_phrase(sentence, words.reminders, uniform, filled)) return true;
  }
  return false;
}

std::string seeker(std::string_view text, Style style, const Lexicon& words, const Uniform& uniform) {
  std::vector<std::string> parts;
  for (const auto& markers : words.markers) {
    for (const std::string& marker : markers) {
      if (!parts.empty() || !text.starts_with(marker + " ")) continue;
      const auto& own = words.markers[static_cast<size_t>(style)];
      parts.push_back(own[below(own.size(), uniform(0))]);
      text.remove_prefix(marker.size() + 1);
    }
  }
  uint32_t number = 1;
  for (std::string sentence : sentences_of(text)) {
    const double draw = uniform(number++);
    bool swapped = swap_cue(sentence, words, draw) || swap_subject(sentence, words, draw);
    for (const auto& table : words.stage_cues) {
      swapped = swapped || swap_phrase(sentence, table, draw, [](const std::string& phrase) { return phrase; });
    }
    parts.push_back(std::move(sentence));
  }
  return join(parts);
}

}  // namespace

std::string paraphrased(const WorldTurn& line, Style style, const Lexicon& words, const Uniform& uniform) {
  if (line.role == "user") return seeker(line.text, style, words, uniform);
  const auto reply = read(line.text, words);
  return reply ? supporter(*reply, style, words, uniform) : line.text;
}

}  // namespace compeer::esc_world
