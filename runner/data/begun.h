#pragma once
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace compeer::data {

/// A stage that has been begun: what was made of it, in a file that is written every second, so that who starts after a
/// kill goes on behind that. Used by one rank.
class Begun {
 public:
  /// Gives what an earlier process kept in `file` in the same form, in order. What stands there in another form, or
  /// behind what was cut short or damaged, is removed.
  Begun(std::filesystem::path file, std::string_view form, const std::function<void(std::string_view made)>& each);

  /// On a full disk nothing is kept any more.
  void keep(std::string_view made);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void append(std::string_view made);
  void give_up();

  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> stream_;  // none: nothing is kept
  std::chrono::steady_clock::time_point written_;
};

}  // namespace compeer::data
