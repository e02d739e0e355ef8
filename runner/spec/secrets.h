#pragma once
#include <string>
#include <string_view>

#include "spec/schema.h"

/// Specs are written down, shown and passed on, with the texts they were made from: no place for passwords and keys.
namespace compeer::spec {

/// What looks like a secret in a setting: "a password in a URL", "what looks like a key"; "" if nothing does.
/// `key` is the setting's own name.
std::string secret_in(std::string_view key, const json& value);

/// A text that is to be shown or kept, each such place in it replaced by "[hidden]".
std::string without_secrets(std::string text);

}  // namespace compeer::spec
