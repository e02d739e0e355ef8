#pragma once
#include <string>
#include <vector>

// Environment variables that locate the program's own files, plugins and lists of allowed plugins. Child processes
// inherit them.

namespace compeer::app {

/// Sets COMPEER_HOME unless it is set: to the nearest folder above this program that contains experiments/ (or its
/// share/compeer/, if that contains it), otherwise to the source folder, if it still exists. Relative paths
/// in experiments that do not exist in the current folder are searched in COMPEER_HOME.
void set_home();

/// Prepends `folders`, the values of the option --plugin-dir, to COMPEER_PLUGIN_PATH, the plugin search path.
void add_plugin_folders(const std::vector<std::string>& folders);

/// Appends `file`, a list of allowed plugins (option --locked), to COMPEER_LOCKED. A plugin is loaded only if every
/// list in that variable contains it. Does nothing if `file` is empty. Throws Error (exit code 5: plugin) if the list
/// can't be read.
void add_allow_list(const std::string& file);

}  // namespace compeer::app
