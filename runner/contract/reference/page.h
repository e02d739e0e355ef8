#pragma once
#include <string>
#include <vector>

#include "plugin/search.h"

namespace compeer::contract {

/// A plugin's page in docs/plugins/: what its descriptor says, in Markdown. The same wherever its library lies.
std::string plugin_page(const plugin::Descriptor& descriptor);

/// The page that leads to them, docs/plugins/README.md: a list for each kind. Plugins that can't be used are left out.
std::string plugin_index(const std::vector<plugin::Found>& plugins);

/// "required", "unset", or the default as in a spec.
std::string default_text(const spec::SettingSchema& parameter);

}  // namespace compeer::contract
