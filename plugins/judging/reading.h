#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "compeer/language_model.h"
#include "judging/form.h"

/// Settings of stages and datasets that show readings to judges, for the "parameters" of descriptors.
#define COMPEER_READS_SETTINGS                                                                         \
  R"json("reads": {"type": "boolean", "default": false,)json"                                          \
  R"json("help": "show the judge, with each step, the reader's own version of it (stage read)"},)json" \
  R"json("reads_replies": {"type": "boolean", "default": false,)json"                                  \
  R"json("help": "show the judge, with each reply, the reader's description of it; policies learn to write it"},)json"

namespace compeer::judging {

/// Returns the greedy or sampled answers of a trained supporter to dialogues. Throws std::runtime_error if a dialogue
/// does not end with the seeker (role "user").
std::vector<Completion> answers(LanguageModel& model, const std::vector<std::vector<Turn>>& histories,
                                const SamplingParams& sampling);

/// Returns the reader's own steps for each dialogue: the steps in its greedy answer, if it writes them. A small judge
/// needs them: it can't compare a step with a conclusion of its own that is not written out.
std::vector<StepTexts> read(LanguageModel& reader, const std::vector<std::vector<Turn>>& histories);

/// A dialogue, the reader's steps for it, and replies to it.
struct AnsweredDialogue {
  std::vector<Turn> history;
  StepTexts reading;
  std::vector<std::string> replies;
};

/// Returns the reader's view of each reply: [dialogues][replies]. The steps are those that would have led to the reply,
/// by a reader trained for it (dataset cer, `reads_replies`); words the reader gives a probability below 0.5 are left
/// out, because a reply does not show all of its steps. `least_log_prob` scores the reply as the reader's own answer.
/// Both are empty for an empty reply.
std::vector<std::vector<ReplyReading>> read_replies(LanguageModel& reader,
                                                    const std::vector<AnsweredDialogue>& dialogues);

/// Returns {"history": "...", "emotion": "...", "strategy": "..."} without missing steps.
nlohmann::json to_json(const StepTexts& reading);
/// Returns the same with "least_log_prob", if there is one.
nlohmann::json to_json(const ReplyReading& reading);

/// The field "reading" of a record, as the stage read writes it: the reader's steps for the dialogue, and its view of
/// the "reference" and the "reply".
struct Reading {
  StepTexts dialogue;
  ReplyReading reference, reply;
};

/// Selection of the parts of a reading that are shown to a judge.
struct Reads {
  Reads() = default;
  Reads(bool dialogue, bool replies) : dialogue(dialogue), replies(replies) {}
  explicit Reads(const Settings& settings) : Reads(settings.flag("reads"), settings.flag("reads_replies")) {}
  bool dialogue = false, replies = false;
};
/// Parses the parts of the record's "reading" that `reads` selects; the others stay empty. Throws std::runtime_error
/// with the problem ("has no 'reading', ...") if a selected part is missing or malformed.
Reading reading_in(const nlohmann::json& record, const Reads& reads);

}  // namespace compeer::judging
