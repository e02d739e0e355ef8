#pragma once
#include <string>
#include <vector>

namespace compeer::app {

/// Sets COMPEER_HOME unless it is set: to the nearest folder above this program that contains experiments/ (or its
/// share/compeer/, if that contains it), otherwise to the source folder, if it still exists. Specs look there for files
/// that the current folder does not contain.
void set_home();

/// Prepends `folders` to COMPEER_PLUGIN_PATH, which workers inherit.
void add_plugin_folders(const std::vector<std::string>& folders);

/// Appends the allow list `file` to COMPEER_LOCKED, which workers inherit: a plugin is loaded only if every list there
/// contains it. Does nothing if `file` is empty. Throws Error (exit 5) if the list can't be read.
void add_allow_list(const std::string& file);

}  // namespace compeer::app
