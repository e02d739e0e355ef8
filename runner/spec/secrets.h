#pragma once
#include <string>
#include <string_view>

#include "spec/schema.h"

// Detection of passwords and API keys. The settings of a run and the files in which they are written are stored,
// printed and shared, so they must not contain any.

namespace compeer::spec {

/// Returns a phrase for the secret that a setting seems to contain: "a user or password in a URL", "a key in a URL",
/// "text that looks like an API key", "a value named like an API key"; "" if it seems to contain none. `key` is the
/// last part of the setting's path, "" for an item of a list.
std::string secret_in(std::string_view key, const json& value);

/// Returns the text with passwords and keys replaced by "[hidden]".
std::string without_secrets(std::string text);

}  // namespace compeer::spec
