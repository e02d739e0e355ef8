#pragma once
#include <string>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "compeer/settings.h"

namespace compeer::evaluating {

/// A chat plugin that a setting names, or nobody: what was recorded is scored without any model, so a stage demands one
/// only where it has something to ask.
class OptionalChat {
 public:
  OptionalChat(const Settings& settings, Host& host, const std::string& setting);

  explicit operator bool() const { return chat_ != nullptr; }
  /// Throws Error (exit 4) that names the setting, if it is unset. `why`: "record 'a' is to be played".
  Chat& demanded(const std::string& why) const;
  std::string model() const { return chat_ ? chat_->model() : ""; }

 private:
  Chat* chat_ = nullptr;
  std::string setting_;
};

}  // namespace compeer::evaluating
