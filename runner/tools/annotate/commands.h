#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace compeer::annotate {

/// Each declares the options of one command on `command`: `compeer data agreement`, `data annotate`, `data merge`. When
/// the command line is parsed, it sets `action` to a function that runs the command and returns its exit code.
void add_agreement(CLI::App& command, std::function<int()>& action);
void add_annotate(CLI::App& command, std::function<int()>& action);
void add_merge(CLI::App& command, std::function<int()>& action);

}  // namespace compeer::annotate
