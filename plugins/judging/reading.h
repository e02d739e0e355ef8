#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "compeer/language_model.h"
#include "judging/form.h"

/// Settings of what asks about records, in the form of "parameters".
#define COMPEER_READS_SETTINGS                                                                          \
  R"json("reads": {"type": "boolean", "default": false,)json"                                           \
  R"json("help": "with each step stands how the record's reader took the dialogue (stage read)"},)json" \
  R"json("reads_replies": {"type": "boolean", "default": false,)json"                                   \
  R"json("help": "with each reply stands what the reader says it does; a policy learns to say that"},)json"

namespace compeer::judging {

/// What a model that was taught to support answers to dialogues, which end with the seeker.
std::vector<Completion> answers(LanguageModel& model, const std::vector<std::vector<Turn>>& histories,
                                const SamplingParams& sampling);

/// How such a model reads dialogues: the steps it would most likely write itself, those it does
/// write. A small judge can't compare a step with a conclusion of its own that it has not put into words.
std::vector<StepTexts> read(LanguageModel& reader, const std::vector<std::vector<Turn>>& histories);

/// A dialogue, how the reader took it, and what was said to the seeker.
struct AnsweredDialogue {
  std::vector<Turn> history;
  StepTexts reading;
  std::vector<std::string> replies;
};

/// What replies do: the steps that would have led to them, by a reader that was also taught that (dataset cer,
/// `reads_replies`), and how likely it would have said the same. Not all of a step can be told from a reply: words that
/// the reader is not sure of are left out. Nothing of an empty reply. [dialogues][replies]
std::vector<std::vector<ReplyReading>> read_replies(LanguageModel& reader,
                                                    const std::vector<AnsweredDialogue>& dialogues);

/// {"history": "...", "emotion": "...", "strategy": "..."}, without those that are not there.
nlohmann::json to_json(const StepTexts& reading);
/// The same, and "least_log_prob".
nlohmann::json to_json(const ReplyReading& reading);

/// What a record's reader made of it: its "reading", which is a reading of the dialogue with one of the "reference" and
/// one of the "reply" in it.
struct Reading {
  StepTexts dialogue;
  ReplyReading reference, reply;
};

/// What of it is to be shown.
struct Reads {
  Reads() = default;
  Reads(bool dialogue, bool replies) : dialogue(dialogue), replies(replies) {}
  explicit Reads(const Settings& settings) : Reads(settings.flag("reads"), settings.flag("reads_replies")) {}
  bool dialogue = false, replies = false;
};
/// That alone. Throws std::runtime_error saying what is wrong, also if it is not there: "has no 'reading'".
Reading reading_in(const nlohmann::json& record, const Reads& reads);

}  // namespace compeer::judging
