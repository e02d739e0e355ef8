#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace compeer::app {

/// The commands of the group `compeer data`: each in its own file, adding itself as in app/commands.h.
void add_data_stats(CLI::App& data, std::function<int()>& action);      // stats.cpp
void add_data_agreement(CLI::App& data, std::function<int()>& action);  // agreement.cpp
void add_data_annotate(CLI::App& data, std::function<int()>& action);   // annotate.cpp
void add_data_answers(CLI::App& data, std::function<int()>& action);    // answers.cpp
void add_data_merge(CLI::App& data, std::function<int()>& action);      // merge.cpp

}  // namespace compeer::app
