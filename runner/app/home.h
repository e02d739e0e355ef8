#pragma once
#include <string>
#include <vector>

namespace compeer::app {

/// Sets COMPEER_HOME, unless it is set: the nearest folder above this program that holds experiments/, else the
/// folder it was built from. Specs find compeer's own files there when the current folder has none of that name.
void set_home();

/// Puts folders in front of COMPEER_PLUGIN_PATH, which workers inherit.
void add_plugin_folders(const std::vector<std::string>& folders);

/// From here on, and in workers, only plugins are loaded that the list in `file` allows, beside those of
/// COMPEER_LOCKED.
/// "": nothing is added. Throws Error (exit 5) if it can't be read.
void obey_allow_list(const std::string& file);

}  // namespace compeer::app
