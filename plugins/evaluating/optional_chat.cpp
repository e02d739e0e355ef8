#include "evaluating/optional_chat.h"

#include "base/error.h"

namespace compeer::evaluating {

OptionalChat::OptionalChat(const Settings& settings, Host& host, const std::string& setting) : setting_(setting) {
  if (settings.has(setting)) chat_ = &host.chat(settings.table(setting));
}

Chat& OptionalChat::demanded(const std::string& why) const {
  if (chat_) return *chat_;
  throw Error(
      "", why + ", but the setting '" + setting_ + "' is unset",
      "name a chat plugin, as in " + setting_ + " = { plugin = \"local\", path = \"results/x/checkpoints/last\" }",
      Exit::data);
}

}  // namespace compeer::evaluating
