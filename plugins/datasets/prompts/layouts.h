#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "corpora/fields.h"

namespace compeer::prompts {

using nlohmann::json;

/// A text with the white space around it, which matters in code. Refused if it is not there, or blank.
std::string text_in(const json& object, const char* key);

/// A record of ShareGPT's layout in ours: {"conversations": [{"from": "human" | "gpt" | "system", "value"}], "system"},
/// also with the keys "role" and "content" and the roles "user" and "assistant". Other keys become "meta".
json from_sharegpt(const json& record);

/// A record of Alpaca's layout in ours: {"instruction", "input", "output", "system", "history": [[user, assistant]]}.
/// The prompt is the instruction and, on a new line, the input. Other keys become "meta".
json from_alpaca(const json& record);

/// A record whose keys are those of another layout. `help` says how to have it read.
struct OtherLayout : corpora::Refusal {
  OtherLayout(const std::string& reason, std::string how) : Refusal(reason), help(std::move(how)) {}
  std::string help;
};

/// Throws OtherLayout if the record is ShareGPT's or Alpaca's, or if its prompt or reference has a usual other name.
void refuse_other_layouts(const json& record);

}  // namespace compeer::prompts
