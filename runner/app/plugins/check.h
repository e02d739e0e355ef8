#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace compeer::app {

/// `compeer plugins check FILE`.
void add_plugins_check(CLI::App& plugins, std::function<int()>& action);

}  // namespace compeer::app
