#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace compeer::app {

/// `compeer plugins lock`.
void add_plugins_lock(CLI::App& plugins, std::function<int()>& action);

}  // namespace compeer::app
