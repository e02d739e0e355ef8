// Scripted writers, annotators, filter, persona reader, rewriter and supporters of esc_world.
#include "chat/esc_world/player.h"

#include <algorithm>
#include <stdexcept>

#include "chat/esc_world/counterpart.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/play.h"
#include "empathy/format.h"

namespace compeer::esc_world {

namespace {

using empathy::Preference;

size_t below(size_t count, double uniform) { return static_cast<size_t>(uniform * static_cast<double>(count)); }

/// Returns the style of the largest trait. DISC has another name for the fourth style, but the same order.
Style style_of(const empathy::Disc& disc) {
  const auto most = std::max_element(disc.traits.begin(), disc.traits.end());
  return styles[static_cast<size_t>(most - disc.traits.begin())];
}

double quality_of(const std::string& reply, const Truth& truth) {
  const auto known = read(reply, lexicon(truth.language));
  return known ? quality(*known, known->strategy(), truth.seeker, truth.said, truth.feelings) : 0.0;
}

void check_case(const ParsedPrompt& asked, const WorldDialogue& truth) {
  bool same = asked.lines.size() <= truth.turns.size();
  for (size_t i = 0; same && i < asked.lines.size(); ++i) same = asked.lines[i].text == truth.turns[i].text;
  if (same || asked.id.ends_with("/rewritten")) return;
  throw std::runtime_error("case " + asked.id +
                           " is a different dialogue in this world: set 'world' to the settings of the dataset");
}

using Uniform = Player::Uniform;

/// Returns the index of another of `count` phrases, or `now` if there is only one.
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

/// If the sentence is a phrase of the table, replaces it by another one and returns true. `filled` fills a phrase's
/// slots.
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

std::string Player::answer(const ParsedPrompt& asked, uint32_t sample_index, const Uniform& uniform) const {
  if (asked.task == Task::filter) return filter(asked);
  if (asked.task == Task::rewrite || asked.task == Task::rewrite_as) return rewritten(asked, uniform);
  if (ScriptedSeeker::plays(asked.task)) return ScriptedSeeker(world_, profile_).answer(asked, uniform);
  const WorldDialogue dialogue = esc_world::dialogue(world_, asked.split, asked.dialogue);
  check_case(asked, dialogue);
  const Truth& truth = dialogue.truths.at(static_cast<size_t>(std::max(asked.round, 0)));
  switch (asked.task) {
    case Task::generate:
      return completion(asked, truth, sample_index);
    case Task::preference:
      return preference(asked, truth, uniform);
    case Task::persona:
      return persona(truth, uniform);
    case Task::consistency:
      return contradiction(asked, truth);
    default:
      return verdict(asked, truth, uniform);
  }
}

std::string Player::filter(const ParsedPrompt& asked) const {
  const Lexicon& words = lexicon(world_.language);
  if (asked.lines.size() < 2) return "no dialogue";
  bool artificial = false;
  for (const WorldTurn& line : asked.lines) {
    if (line.role != "assistant") continue;
    const auto reply = read(line.text, words);
    if (!reply) return "incoherent";
    artificial = artificial || reply->find(Part::artificial);
  }
  return artificial ? "artificial" : "keep";
}

std::string Player::completion(const ParsedPrompt& asked, const Truth& truth, uint32_t sample_index) const {
  const uint32_t split = asked.split == "train" ? 0 : asked.split == "valid" ? 1 : 2;
  const RandomAddress place{profile_.seed_of(world_, sample_index), split, asked.dialogue,
                            static_cast<uint32_t>(std::max(asked.round, 0))};
  return write(profile_.writer, truth.seeker, truth.said, truth.feelings, lexicon(truth.language), place,
               Purpose::answer)
      .text;
}

std::string Player::verdict(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const {
  const std::string name = asked.task == Task::history   ? "history"
                           : asked.task == Task::emotion ? "emotion"
                                                         : "strategy";
  const Verdict found = judge(truth, "<" + name + ">" + asked.step + "</" + name + ">");
  const bool right = asked.task == Task::history   ? found.history
                     : asked.task == Task::emotion ? found.emotion
                                                   : found.strategy;
  return empathy::StepVerdicts().print(right != (uniform(0) < profile_.annotator_noise));
}

std::string Player::preference(const ParsedPrompt& asked, const Truth& truth, const Uniform& uniform) const {
  const empathy::Preferences words;
  if (uniform(0) < profile_.annotator_noise) return words.print(empathy::preferences[below(4, uniform(1))]);
  if (uniform(2) < profile_.first_bias) return words.print(Preference::first);
  return words.print(better(asked, truth));
}

Preference Player::better(const ParsedPrompt& asked, const Truth& truth) const {
  const double first = quality_of(asked.replies[0], truth), second = quality_of(asked.replies[1], truth);
  if (std::max(first, second) <= profile_.poor) return Preference::neither;
  if (std::abs(first - second) <= profile_.tie) return Preference::both;
  return first > second ? Preference::first : Preference::second;
}

// Decided by the truth, without noise: verdicts that differ are a contradiction if the true ones don't.
std::string Player::contradiction(const ParsedPrompt& asked, const Truth& truth) const {
  const auto end = asked.judged.find("; ");
  const auto preference = empathy::Preferences().parse(end == std::string::npos ? "" : asked.judged.substr(end + 2));
  if (!preference) throw std::runtime_error("case " + asked.id + ": 'Judged:' can't be read: " + preference.refusal);
  const auto [history, emotion, strategy] = asked.steps;
  const Verdict found = judge(truth, empathy::print({history, emotion, strategy, asked.replies[1]}));
  const bool judged_right = asked.judged.find("False") == std::string::npos;
  const bool right = found.history && found.emotion && found.strategy;
  const bool apart = judged_right != empathy::as_good(*preference.value);
  const bool truly_apart = right != empathy::as_good(better(asked, truth));
  return apart && !truly_apart ? "yes" : "no";
}

std::string Player::persona(const Truth& truth, const Uniform& uniform) const {
  Style style = truth.seeker.style;
  if (uniform(0) < profile_.persona_noise) style = styles[below(styles.size(), uniform(1))];
  empathy::Disc disc;
  for (size_t i = 0; i < disc.traits.size(); ++i) {
    const bool own = styles[i] == style;
    disc.traits[i] = static_cast<int>(own ? 7 + below(4, uniform(2)) : below(4, uniform(static_cast<uint32_t>(3 + i))));
  }
  const auto& markers = lexicon(truth.language).markers[static_cast<size_t>(style)];
  disc.manner = "says: " + markers[below(markers.size(), uniform(9))];
  return empathy::print(disc);
}

std::string Player::rewritten(const ParsedPrompt& asked, const Uniform& uniform) const {
  Style style = profile_.drift;
  if (asked.task == Task::rewrite_as) {
    const auto disc = empathy::parse_disc(asked.persona);
    if (!disc) throw std::runtime_error("case " + asked.id + ": the persona can't be read: " + disc.refusal);
    style = style_of(*disc.value);
  }
  std::string text;
  for (size_t i = 0; i < asked.lines.size(); ++i) {
    const auto own = [&](uint32_t number) { return uniform(static_cast<uint32_t>(100 * (i + 1)) + number); };
    text += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ": " +
            paraphrased(asked.lines[i], style, lexicon(world_.language), own);
  }
  return text;
}

Support::Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count)
    : world_(world), profile_(profile), split_(split) {
  for (uint32_t index = 0; index < count; ++index) known_.emplace(Play(world, split, index).utterance(), index);
}

std::optional<std::string> Support::answer(const std::vector<WorldTurn>& lines, uint32_t sample_index) const {
  if (lines.empty()) return std::nullopt;
  const auto [begin, end] = known_.equal_range(lines[0].text);
  for (auto one = begin; one != end; ++one) {
    if (auto completion = answer_as(one->second, lines, sample_index)) return completion;
  }
  return std::nullopt;
}

std::optional<std::string> Support::answer_as(uint32_t index, const std::vector<WorldTurn>& lines,
                                              uint32_t sample_index) const {
  Play play(world_, split_, index);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].role != (i % 2 == 0 ? "user" : "assistant")) return std::nullopt;
    if (i % 2 == 0 && lines[i].text != play.utterance()) return std::nullopt;
    if (i % 2 == 0) continue;
    const PerceivedReply heard = play.hear(lines[i].text);
    play.advance(heard.keys, heard.felt);
  }
  RandomAddress place = play.place();
  place.seed = profile_.seed_of(world_, sample_index);
  return write(profile_.writer, play.truth().seeker, play.truth().said, play.truth().feelings, play.words(), place,
               Purpose::answer)
      .text;
}

std::string paraphrased(const WorldTurn& line, Style style, const Lexicon& words, const Uniform& uniform) {
  if (line.role == "user") return seeker(line.text, style, words, uniform);
  const auto reply = read(line.text, words);
  return reply ? supporter(*reply, style, words, uniform) : line.text;
}

}  // namespace compeer::esc_world
