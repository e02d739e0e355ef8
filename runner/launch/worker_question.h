#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launch/program_output.h"

namespace compeer::launch {

/// Has the worker program answer one question, in a process of its own: the command `name` with {"input": a file that
/// holds `input`}. One that takes longer than `seconds` is killed.
ProgramOutput ask_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds);

/// The last line it said that is an object with this key, or null: plugins may say something in between.
nlohmann::json last_line(const std::string& text, const char* key);

}  // namespace compeer::launch
