#pragma once
#include <string>
#include <string_view>

#include "spec/schema.h"

/// Detection of passwords and API keys. Specs and the texts they were made from are stored, printed and shared, so they
/// must not contain any.
namespace compeer::spec {

/// Returns a phrase for the secret that a setting seems to contain: "a user or password in a URL", "a key in a URL",
/// "what looks like a key", "what is called a key"; "" if it seems to contain none. `key` is the last part of the
/// setting's path.
std::string secret_in(std::string_view key, const json& value);

/// Returns the text with passwords and keys replaced by "[hidden]".
std::string without_secrets(std::string text);

}  // namespace compeer::spec
