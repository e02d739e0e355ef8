#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "compeer/speaker.h"
#include "judging/form.h"

/// A setting of what asks about records, in the form of "parameters".
#define COMPEER_READS_SETTING                                 \
  R"json("reads": {"type": "boolean", "default": false,)json" \
  R"json("help": "before each step stands how the record's reader took the dialogue (stage read)"},)json"

namespace compeer::judging {

/// What a model that was taught to support answers to dialogues, which end with the seeker.
std::vector<Said> answers(Speaker& model, const std::vector<std::vector<Turn>>& histories, const Manner& manner);

/// How such a model reads dialogues: the steps it would most likely write itself, those it does
/// write. A small judge can't compare a step with a conclusion of its own that it has not put into words.
std::vector<Steps> read(Speaker& reader, const std::vector<std::vector<Turn>>& histories);

/// A record's "reading": {"history": "...", "emotion": "...", "strategy": "..."}, without those that are not there.
nlohmann::json to_json(const Steps& reading);
/// Throws std::runtime_error saying what is wrong, also if there is none: "has no 'reading'".
Steps reading_in(const nlohmann::json& record);

}  // namespace compeer::judging
