#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "compeer/language_model.h"
#include "judging/judge_format.h"

// Readings, which some judges are shown for comparison. A supporter model answers a dialogue with three reasoning steps
// (history, emotion, strategy) and a reply. A "reader" is a trained supporter model; its reading of a dialogue is the
// three steps that it writes itself, its reading of a reply the steps that would have led to this reply.

/// JSON text with the settings of stages and datasets that show readings to judges, for the "parameters" of
/// descriptors.
#define COMPEER_READS_SETTINGS                                                                         \
  R"json("reads": {"type": "boolean", "default": false,)json"                                          \
  R"json("help": "show the judge, with each step, the reader's own version of it (stage read)"},)json" \
  R"json("reads_replies": {"type": "boolean", "default": false,)json"                                  \
  R"json("help": "show the judge, with each reply, the reader's description of it; policies learn to write it"},)json"

namespace compeer::judging {

/// Returns the supporter model's answer to each dialogue of `histories`: greedy or sampled, depending on `sampling`.
/// Throws std::runtime_error if a dialogue does not end with a turn of the seeker (role "user").
std::vector<Completion> answers(LanguageModel& model, const std::vector<std::vector<Turn>>& histories,
                                const SamplingParams& sampling);

/// Returns the reader's reading of each dialogue: the steps in its greedy answer; nullopt for a step that it does not
/// write. Small judges need it, because they can't draw conclusions without writing them out.
std::vector<StepTexts> read(LanguageModel& reader, const std::vector<std::vector<Turn>>& histories);

/// A dialogue and replies to it.
struct AnsweredDialogue {
  std::vector<Turn> history;         ///< the dialogue; ends with the turn that the replies answer
  StepTexts reading;                 ///< the reader's steps for the dialogue
  std::vector<std::string> replies;  ///< "": a missing reply
};

/// Returns the reader's reading of each reply, indexed [dialogue][reply]. Requires a reader trained for this (by the
/// dataset `cer` with `reads_replies`). Its steps lack the tokens that the reader gives a probability below 0.5,
/// because a reply does not reveal all of its steps. All fields are empty for an empty reply.
std::vector<std::vector<ReplyReading>> read_replies(LanguageModel& reader,
                                                    const std::vector<AnsweredDialogue>& dialogues);

/// Returns a reading of a dialogue as the object {"history": "...", "emotion": "...", "strategy": "..."}, without
/// missing steps.
nlohmann::json to_json(const StepTexts& reading);
/// Returns a reading of a reply as the same object, with "least_log_prob" if it is known.
nlohmann::json to_json(const ReplyReading& reading);

/// The field "reading" of a record of judged replies, as the stage `read` writes it.
struct Reading {
  StepTexts dialogue;      ///< reading of the dialogue
  ReplyReading reference;  ///< reading of the record's reference reply
  ReplyReading reply;      ///< reading of the reply to be judged
};

/// Selection of the parts of a reading that are shown to a judge; by default none.
struct Reads {
  Reads() = default;
  Reads(bool dialogue, bool replies) : dialogue(dialogue), replies(replies) {}
  /// Reads the settings `reads` and `reads_replies`.
  explicit Reads(const Settings& settings) : Reads(settings.flag("reads"), settings.flag("reads_replies")) {}
  bool dialogue = false;  ///< show the reading of the dialogue
  bool replies = false;   ///< show the readings of the two replies
};
/// Parses the parts of a record's "reading" that `reads` selects; the others stay empty. Throws std::runtime_error with
/// the problem as predicate ("has no 'reading': ...") if a selected part is missing or malformed.
Reading reading_in(const nlohmann::json& record, const Reads& reads);

}  // namespace compeer::judging
