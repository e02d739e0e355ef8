#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace compeer::annotate {

/// Each adds the options of one command: `compeer data agreement`, `data annotate`, `data merge` (app/commands.h).
void add_agreement(CLI::App& command, std::function<int()>& action);
void add_annotate(CLI::App& command, std::function<int()>& action);
void add_merge(CLI::App& command, std::function<int()>& action);

}  // namespace compeer::annotate
