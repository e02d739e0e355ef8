// Runs a Lua script within limits of memory, instructions and CPU time, without access to anything outside.
#include "lua/sandbox.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "lua/edge.h"
#include "lua/libraries.h"
#include "spec/text.h"

namespace compeer::lua {

namespace {

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr int hook_instructions = 100;
constexpr uint64_t largest_script = uint64_t{1} << 20;

void count(lua_State* L, lua_Debug*) { spend(L, hook_instructions); }

// Escapes control characters if stdout is a terminal, so that a script can't control it; programs get the raw output.
void print_to_stdout(std::string_view text) {
  const auto seen = ::isatty(STDOUT_FILENO) ? spec::printable_lines(text) : std::string(text);
  std::fwrite(seen.data(), 1, seen.size(), stdout);
  std::fflush(stdout);
}

// Refuses bytecode and text that is not UTF-8: scripts become part of spec.json.
void check_plain(const std::string& text, const std::string& name) {
  if (text.compare(0, 1, "\x1b") == 0) throw Error(name, "is bytecode, not Lua source");
  refuse_utf16(text, name, Exit::spec);
  int line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view here(text.data() + at, end - at);
    const auto where = fmt::format("{}:{}", name, line);
    if (here.find('\0') != std::string_view::npos)
      throw Error(where, "a NUL byte in the script: " + spec::printable(here));
    if (!spec::valid_utf8(here)) throw Error(where, "is not UTF-8: " + spec::printable(here));
    at = end + 1;
  }
}

int open_all(lua_State* L) {
  open_errors(L);
  open_libraries(L);
  return 0;
}

struct StackKept {
  lua_State* L;
  int top = lua_gettop(L);
  ~StackKept() { lua_settop(L, top); }
};

int call_body(lua_State* L) {
  const auto* body = static_cast<const std::function<void(lua_State*)>*>(lua_touserdata(L, 1));
  lua_settop(L, 0);
  (*body)(L);
  return 0;
}

}  // namespace

Budget::Budget(const Limits& limits)
    : limits_(limits),
      started_(clock_seconds(CLOCK_THREAD_CPUTIME_ID)),
      looked_(clock_seconds(CLOCK_MONOTONIC)),
      instructions_text_(fmt::format("more than {} instructions", limits.instructions)),
      seconds_text_(fmt::format("more than {} seconds of computing", limits.seconds)) {}

bool Budget::resize(size_t old_size, size_t new_size) {
  if (new_size > old_size) {
    const bool fits = new_size <= limits_.block && memory_ - old_size + new_size <= limits_.memory;
    // Checks the CPU time here, too: before Lua gives up it collects garbage, which it may repeat many times near the
    // limit.
    if (out_of_time_ || !fits) return out_of_time(), false;
  }
  memory_ = memory_ - old_size + new_size;
  return true;
}

bool Budget::charge(size_t bytes) {
  if (out_of_time_ || bytes > limits_.memory - std::min(memory_, limits_.memory)) return out_of_time(), false;
  memory_ += bytes;
  return true;
}

bool Budget::out_of_time() {
  return out_of_time_ = out_of_time_ || clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started_ > limits_.seconds;
}

const char* Budget::spend(uint64_t instructions) {
  if (instructions > limits_.instructions - instructions_) return instructions_text_.c_str();
  instructions_ += instructions;
  // CLOCK_THREAD_CPUTIME_ID is a system call, CLOCK_MONOTONIC is cheap.
  if (const double now = clock_seconds(CLOCK_MONOTONIC); now - looked_ > 0.02) {
    looked_ = now;
    if (out_of_time()) return seconds_text_.c_str();
  }
  return nullptr;
}

void Budget::pause() { paused_at_ = clock_seconds(CLOCK_THREAD_CPUTIME_ID); }
void Budget::resume() { started_ += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - paused_at_; }

std::string Budget::memory_text() const { return fmt::format("more than {} MiB of memory", limits_.memory >> 20); }

Sandbox::Sandbox() : Sandbox(Setup{}) {}

Sandbox::Sandbox(Setup setup)
    : setup_(std::move(setup)), budget_(setup_.limits), lua_(lua_newstate(allocate, this), lua_close) {
  if (!lua_) throw Error("", "not enough memory for a Lua state", "", Exit::failure);
  if (!setup_.print) setup_.print = print_to_stdout;
  running = lua_.get();
  *static_cast<Sandbox**>(lua_getextraspace(lua_.get())) = this;
  lua_pushcfunction(lua_.get(), open_all);
  if (lua_pcall(lua_.get(), 0, 0, 0) != LUA_OK) throw error_at(lua_.get(), -1);
  lua_sethook(lua_.get(), count, LUA_MASKCOUNT, hook_instructions);
}

Sandbox::~Sandbox() = default;

void* Sandbox::allocate(void* sandbox, void* block, size_t old_size, size_t new_size) noexcept {
  auto& self = *static_cast<Sandbox*>(sandbox);
  if (!block) old_size = 0;  // for a new block Lua passes the type of the object here
  if (!self.budget_.resize(old_size, new_size)) {
    if (self.running) self.refused_ = position(self.running);
    return nullptr;
  }
  if (new_size > 0) return std::realloc(block, new_size);
  std::free(block);
  return nullptr;
}

void Sandbox::add_module(const std::string& name, int (*open)(lua_State*)) {
  lua_State* L = lua_.get();
  const int top = lua_gettop(L);
  lua_pushcfunction(L, trace_error);
  lua_pushcfunction(L, open_module);
  lua_pushstring(L, name.c_str());
  lua_pushcfunction(L, open);
  if (lua_pcall(L, 2, 0, top + 1) != LUA_OK) throw error_at(L, -1);
  lua_settop(L, top);
}

void Sandbox::halt(Error error) {
  if (!halted_) halted_ = std::move(error);
}

bool Sandbox::run_file(const std::filesystem::path& file) {
  const auto folder = file.parent_path();
  return run_text(read_script(file, file.string()), file.string(), folder.empty() ? "." : folder);
}

bool Sandbox::run_text(const std::string& text, const std::string& name, const std::filesystem::path& folder) {
  folder_ = folder;
  return enter([&](lua_State* L) {
    load_text(text, name);
    lua_call(L, 0, 0);
  });
}

void Sandbox::load_text(const std::string& text, const std::string& name) {
  lua_State* L = running;
  check_plain(text, name);
  add_source(name, text);
  if (luaL_loadbufferx(L, text.data(), text.size(), ("@" + name).c_str(), "t") != LUA_OK) lua_error(L);
}

bool Sandbox::enter(const std::function<void(lua_State*)>& body) {
  lua_State* L = lua_.get();
  const StackKept kept{L};
  lua_pushcfunction(L, trace_error);
  lua_pushcfunction(L, bound<call_body>);
  lua_pushlightuserdata(L, const_cast<void*>(static_cast<const void*>(&body)));
  return finish(lua_pcall(L, 1, 0, kept.top + 1));
}

bool Sandbox::finish(int status) {
  lua_State* L = lua_.get();
  if (stopped_) return false;
  if (halted_) throw *halted_;
  if (status == LUA_OK) return true;
  if (status == LUA_ERRMEM) throw memory_error(L);
  throw error_at(L, -1);
}

std::string read_script(const std::filesystem::path& file, const std::string& name) {
  if (const auto why = why_no_file(file); !why.empty()) throw Error(name, why);
  std::string text;
  try {
    text = read_file(file, largest_script);
  } catch (const Error& error) {
    throw Error(name, error.problem(), error.help(), error.exit() == Exit::failure ? Exit::failure : Exit::spec);
  }
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  if (!text.empty() && text[0] == '#') text.erase(0, text.find('\n'));
  check_plain(text, name);
  return text;
}

}  // namespace compeer::lua
