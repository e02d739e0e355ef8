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

/// Resource limits of one script. A script only describes runs, so these are far above normal use.
struct Limits {
  size_t memory = size_t{256} << 20;    ///< bytes of all Lua values and of memory that C++ holds for the script
  size_t block = size_t{64} << 20;      ///< bytes of a single allocation, such as a string or the storage of a table
  uint64_t instructions = 100'000'000;  ///< Lua instructions, plus steps counted by C++ functions
  double seconds = 3;                   ///< CPU time of this thread, so that waiting for runs is not counted
};

/// Counts a script's use of resources against its Limits. "Charged" memory is what C++ objects hold for the script,
/// next to the memory of Lua's own values. Almost always the instruction limit decides, so that a script ends at the
/// same point on every machine; the CPU time limit is for the few single instructions that take long.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  /// Counts a reallocation. Returns false if it exceeds a limit; then nothing is counted.
  bool resize(size_t old_size, size_t new_size);

  /// Counts memory of any size that C++ holds for the script. Returns false if it exceeds the limit.
  bool charge(size_t bytes);
  void release(size_t bytes) noexcept { memory_ -= bytes; }  ///< reverses `charge`

  /// Counts instructions. Returns null, or a description of the exceeded limit: "more than 3 seconds of computing".
  const char* spend(uint64_t instructions);

  /// CPU time between `pause` and `resume` is not counted (while a launch polls the files of its run).
  void pause();
  void resume();

  const Limits& limits() const { return limits_; }
  std::string memory_text() const;  ///< "more than 256 MiB of memory"

 private:
  bool out_of_time();  // reads the CPU clock and sets `out_of_time_`
  Limits limits_;
  size_t memory_ = 0;          // bytes in use
  uint64_t instructions_ = 0;  // counted so far
  bool out_of_time_ = false;
  double started_;                                // CPU time at the start, plus pauses, in seconds
  double looked_;                                 // monotonic time when the CPU clock was last read
  double paused_at_ = 0;                          // CPU time of the last `pause`
  std::string instructions_text_, seconds_text_;  // results of `spend` for the two limits
};

/// A Lua 5.4 interpreter for one script. The script can't access files, the clock, the environment, processes, bytecode
/// or addresses, so that it gives the same result in every process. docs/lua.md lists the differences from plain Lua.
class Sandbox {
 public:
  struct Setup {
    Limits limits;
    std::function<void(std::string_view)> print;  ///< receives the output of `print`, whole lines; default: stdout
    /// Help texts of the errors for exceeded limits.
    std::string loop_help = "look for an endless loop: scripts only describe runs and read their results";
    std::string memory_help = "keep large data in data sets: scripts only describe runs and read their results";
  };

  Sandbox();
  explicit Sandbox(Setup setup);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Adds a built-in module: calls `open`, which pushes the module's value. `require "name"` then returns that value.
  void add_module(const std::string& name, int (*open)(lua_State*));

  /// Runs a script. `require` finds modules below the script's folder. Returns false if `stop` ended the script. Throws
  /// Error for any error raised (exit 3 for mistakes in the script); `where` is "script.lua:LINE", and the text
  /// contains that line and, if it was inside a function, the call stack.
  bool run_file(const std::filesystem::path& file);
  /// The same for a text; `name` is used in place of the file name.
  bool run_text(const std::string& text, const std::string& name, const std::filesystem::path& folder = ".");

  /// Runs `body`, C++ code that may call into the script: errors raised in it are thrown as Error, and the stack is
  /// restored. Returns false if `stop` ended the script.
  bool enter(const std::function<void(lua_State*)>& body);
  /// For use in such a body: compiles the text and pushes it as a function.
  void load_text(const std::string& text, const std::string& name);

  /// Ends the script for good with this error, which pcall can't catch. Called by C++ functions of modules, whose own
  /// error is then replaced by this one.
  void halt(Error error);
  /// Ends the script without a failure.
  void stop() { stopped_ = true, halt(Error("", "stopped", "", Exit::ok)); }
  bool halted() const { return halted_.has_value(); }

  Budget& budget() { return budget_; }
  const Setup& setup() const { return setup_; }
  void print(std::string_view text) const { setup_.print(text); }  ///< writes output of the script
  /// Returns the script's folder; empty for texts that can't require modules.
  const std::filesystem::path& folder() const { return folder_; }
  /// Returns the source texts of the script and of the modules required so far, by the names used in messages.
  const std::map<std::string, std::string>& sources() const { return sources_; }
  void add_source(const std::string& name, std::string text) { sources_[name] = std::move(text); }

  // State that the library functions share.

  /// State of `math.random`: the seed, and the number of values drawn.
  struct Random {
    uint64_t seed = 0, drawn = 0;
  };
  Random random;
  std::set<std::string> loading;  ///< names of the modules being required, to detect cycles

  /// Stores the data of the module that the program adds, for its functions; `kept` returns it. T must be the same.
  template <typename T>
  void keep(std::shared_ptr<T> value) {
    kept_ = std::move(value);
  }
  template <typename T>
  T& kept() const {
    return *static_cast<T*>(kept_.get());
  }

  lua_State* running = nullptr;  ///< the running coroutine
  /// The script line ("x.lua:12") of the last allocation that was refused.
  const std::string& refused() const { return refused_; }

 private:
  // Lua's allocator, which applies the memory limits.
  static void* allocate(void* sandbox, void* block, size_t old_size, size_t new_size) noexcept;
  // Converts the status of lua_pcall to the result of `run_file` and `enter`, or throws the script's error.
  bool finish(int status);

  Setup setup_;
  Budget budget_;
  std::shared_ptr<void> kept_;  // outlives the Lua state, whose values may refer to it
  std::map<std::string, std::string> sources_;
  std::filesystem::path folder_;
  std::optional<Error> halted_;  // error that ends the script, once `halt` was called
  std::string refused_;
  bool stopped_ = false;  // `stop` was called
  std::unique_ptr<lua_State, void (*)(lua_State*)> lua_;
};

/// Returns the text of a script file, without byte order mark and with an empty first line if that begins with '#'.
/// `name` is used in messages. Throws Error (exit 3; 1: I/O error) if the file is missing or not plain UTF-8 text.
std::string read_script(const std::filesystem::path& file, const std::string& name);

}  // namespace compeer::lua
