#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/remark.h"

namespace compeer::contract {

/// The front end's side of contract/worker/reporter.h: what the worker writes, as it comes, lines of JSON and behind
/// that of a crash its stack. The plugin runs in the worker's process and can write there, too. Whatever does not read
/// like the worker's is noted and nothing more; what reads like it can't be told from it.
class Listener {
 public:
  void take(std::string_view text);

  std::vector<Remark> findings;
  std::vector<std::string> stack;
  nlohmann::json crash;      ///< {"signal", "exit" or "seconds", "check", "method", "input"}; null without one
  nlohmann::json calls;      ///< {"check", "method", "input"} of the last call; a method "" before the first
  std::optional<bool> made;  ///< once all checks are over: whether there was an object to check
  std::string gave_up;
  bool forked = false;     ///< a copy of the worker came out of the plugin, and has ended itself
  bool disturbed = false;  ///< something stood there that the worker does not write

  Listener();

 private:
  void line(const std::string& text);
  void understand(const nlohmann::json& read);

  std::string rest_;
};

}  // namespace compeer::contract
