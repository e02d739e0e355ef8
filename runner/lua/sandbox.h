#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"

struct lua_State;

namespace compeer::lua {

/// What one script may use. A script describes runs, so these are far above any need.
struct Limits {
  size_t memory = size_t{256} << 20;    ///< bytes of all Lua values together, and of what C++ holds for the script
  size_t block = size_t{64} << 20;      ///< bytes of one string, or of one table's storage
  uint64_t instructions = 100'000'000;  ///< of the Lua machine, and steps of functions that loop by themselves
  double seconds = 3;                   ///< of this thread's processor time, so waiting for runs doesn't count
};

/// Counts what a script uses. Instructions alone decide in almost every case, so that a script ends in the same way
/// on every machine; processor time is for the few single instructions that take long.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  /// Counts a block of memory that is to change its size. False if it may not.
  bool resize(size_t old_size, size_t new_size);

  /// The same for memory of any size that C++ holds for the script.
  bool hold(size_t bytes);
  void release(size_t bytes) noexcept { memory_ -= bytes; }

  /// Adds instructions. Returns what is used up, in words, or nothing.
  const char* spend(uint64_t instructions);

  /// Processor time between these two is not counted (a launch polls the files of its run).
  void pause();
  void resume();

  const Limits& limits() const { return limits_; }
  std::string memory_text() const;  ///< "more than 256 MiB of memory"

 private:
  bool late();
  Limits limits_;
  size_t memory_ = 0;
  uint64_t instructions_ = 0;
  bool late_ = false;
  double started_, looked_, paused_at_ = 0;
  std::string instructions_text_, seconds_text_;
};

/// A Lua 5.4 in which a script can compute and describe, and nothing else: no files, clock, environment, processes,
/// bytecode or addresses, so that the same script gives the same result in every process. What differs from plain Lua
/// is listed in docs/lua.md. One script per sandbox.
class Sandbox {
 public:
  struct Setup {
    Limits limits;
    std::function<void(std::string_view)> print;  ///< gets what `print` writes, lines complete; default: stdout
    /// What is said to who has used up the limits.
    std::string loop_help = "a script describes runs and reads their results; is there a loop without an end?";
    std::string memory_help = "a script describes runs and reads their results; big data belongs into data sets";
  };

  Sandbox();
  explicit Sandbox(Setup setup);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Lets `require "name"` give what `open` leaves on top of the stack.
  void add_module(const std::string& name, int (*open)(lua_State*));

  /// Runs a script to its end. `require` finds modules below the script's folder. Throws Error: whatever was raised,
  /// with exit 3 if it was a mistake in the script; `where` is "script.lua:LINE", the text holds that line and, from
  /// two functions on, the way there. False if the script was ended early by `stop`.
  bool run_file(const std::filesystem::path& file);
  /// The same for a text; `name` stands for the file.
  bool run_text(const std::string& text, const std::string& name, const std::filesystem::path& folder = ".");

  /// Runs `body`, C++ that may call into the script, as run_text runs a script: what is raised in it becomes an Error,
  /// and the stack is left as it was. `load_text` is for such a body: it pushes the text as a function.
  bool enter(const std::function<void(lua_State*)>& body);
  void load_text(const std::string& text, const std::string& name);

  /// Ends the script, now and for good: no pcall can hold it. Called by C++ functions of modules; the error that they
  /// then throw is replaced by this one. `stop` is an end that is no failure.
  void halt(Error error);
  void stop() { stopped_ = true, halt(Error("", "stopped", "", Exit::ok)); }
  bool halted() const { return halted_.has_value(); }

  Budget& budget() { return budget_; }
  const Setup& setup() const { return setup_; }
  void print(std::string_view text) const { setup_.print(text); }
  /// Empty for texts that stand alone, which can't require modules.
  const std::filesystem::path& folder() const { return folder_; }
  /// Texts of the script and the modules it has required so far, by the names used in messages.
  const std::map<std::string, std::string>& sources() const { return sources_; }
  void add_source(const std::string& name, std::string text) { sources_[name] = std::move(text); }

  /// The state of `math.random`.
  struct Random {
    uint64_t seed = 0, drawn = 0;
  };
  Random random;
  std::set<std::string> loading;  ///< modules being required

  /// What a module keeps for its functions, and gets back by its type.
  template <typename T>
  void keep(std::shared_ptr<T> value) {
    kept_ = std::move(value);
  }
  template <typename T>
  T& kept() const {
    return *static_cast<T*>(kept_.get());
  }

  lua_State* running = nullptr;  ///< the coroutine that runs just now
  /// The line that was refused memory last.
  const std::string& refused() const { return refused_; }

 private:
  static void* allocate(void* sandbox, void* block, size_t old_size, size_t new_size) noexcept;
  bool finish(int status);

  Setup setup_;
  Budget budget_;
  std::shared_ptr<void> kept_;  // outlives the Lua state, whose values may refer to it
  std::map<std::string, std::string> sources_;
  std::filesystem::path folder_;
  std::optional<Error> halted_;
  std::string refused_;
  bool stopped_ = false;
  std::unique_ptr<lua_State, void (*)(lua_State*)> lua_;
};

/// The text of a script file: without byte order mark, its "#!" line emptied. Throws Error (exit 3).
std::string read_script(const std::filesystem::path& file, const std::string& name);

}  // namespace compeer::lua
