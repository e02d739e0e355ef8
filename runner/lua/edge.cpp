// Converts errors between Lua and C++, and adds source lines and call stacks to them.
#include "lua/edge.h"

#include <fmt/format.h>

namespace compeer::lua {

namespace {

constexpr const char* error_type = "compeer.error";
constexpr size_t longest_message = 8000;

struct Raised {
  Error error;
  bool traced = false;
};

Raised* raised_at(lua_State* L, int index) {
  auto* boxed = static_cast<Boxed<Raised>*>(luaL_testudata(L, index, error_type));
  return boxed ? &boxed->value : nullptr;
}

// Truncates long texts: a script can put anything into an error.
std::string shortened(std::string_view text) {
  if (text.size() <= longest_message) return std::string(text);
  size_t end = longest_message;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // at a character boundary
  return std::string(text.substr(0, end)) + "...";
}

void push_raised(lua_State* L, Raised raised) {
  const Error& error = raised.error;
  const size_t size = error.where().size() + error.problem().size() + error.help().size();
  push_boxed<Raised>(L, error_type, std::move(raised), 2 * size);  // twice, because Error also stores its whole text
}

int to_string(lua_State* L) {
  lua_pushstring(L, raised_at(L, 1)->error.what());
  return 1;
}

int concatenate(lua_State* L) {
  push_text(L, 1);
  push_text(L, 2);
  lua_concat(L, 2);
  return 1;
}

int field(lua_State* L) {
  const auto& error = raised_at(L, 1)->error;
  const std::string name(check_text(L, 2));
  const auto push = [L](const std::string& text) { return lua_pushlstring(L, text.data(), text.size()), 1; };
  if (name == "where") return push(error.where());
  if (name == "what") return push(error.problem());
  if (name == "help") return push(error.help());
  if (name == "exit") return lua_pushinteger(L, static_cast<int>(error.exit())), 1;
  throw Error("", "an error has no '" + name + "'", suggest(name, {"exit", "help", "what", "where"}));
}

// Returns the file that a frame executes, or "" for C functions and loaded texts.
std::string file_of(const lua_Debug& frame) { return frame.source[0] == '@' ? frame.source + 1 : ""; }

std::string function_name(const lua_Debug& frame) {
  if (std::string_view(frame.what) == "main") return "the main chunk";
  if (frame.name) return fmt::format("function '{:.100}'", frame.name);
  return fmt::format("the function of line {}", frame.linedefined);
}

// True for frames of C++, and of Lua code that is neither a script file nor a text that the script has loaded.
bool is_hidden(const lua_Debug& frame) {
  return frame.currentline < 0 || (frame.source[0] != '@' && frame.source[0] != '=');
}

// Returns the call stack, one line per function of the script, or "" if it has less than `fewest` functions.
std::string way(lua_State* L, int fewest) {
  // Finding a level takes time proportional to its depth, so deep stacks are not walked completely.
  constexpr int most = 20;
  std::string text;
  int frames = 0;
  lua_Debug frame;
  for (int level = 0; frames < most && lua_getstack(L, level, &frame); ++level) {
    lua_getinfo(L, "nSl", &frame);
    if (is_hidden(frame)) continue;
    const std::string file = file_of(frame).empty() ? frame.short_src : file_of(frame);
    text += fmt::format("\n  in {} ({}:{})", function_name(frame), file, frame.currentline);
    ++frames;
  }
  if (frames == most) text += "\n  ...";
  return frames >= fewest ? text : "";
}

// Returns a source name as Lua writes it in messages, where long names are shortened.
std::string short_name(lua_State* L, const std::string& name) {
  lua_Debug chunk;
  if (luaL_loadbufferx(L, "", 0, ("@" + name).c_str(), "t") != LUA_OK) return lua_pop(L, 1), name;
  lua_getinfo(L, ">S", &chunk);
  return chunk.short_src;
}

// Splits Lua's message "scripts/x.lua:12: attempt to ..." into place (with the full name) and text.
Error split(lua_State* L, const std::string& message) {
  for (const auto& [name, text] : sandbox(L).sources()) {
    const std::string prefix = short_name(L, name) + ":";
    if (message.compare(0, prefix.size(), prefix) != 0) continue;
    const size_t end = message.find_first_not_of("0123456789", prefix.size());
    if (end == prefix.size() || end == std::string::npos || message.compare(end, 2, ": ") != 0) continue;
    return Error(name + ":" + message.substr(prefix.size(), end - prefix.size()), message.substr(end + 2));
  }
  return Error("", message);
}

// Returns the error with its source line and the call stack.
Error tell(lua_State* L, const Error& error) {
  const std::string where = error.where().empty() ? position(L) : error.where();
  const std::string line = excerpt(sandbox(L), where);
  const bool told = error.problem().find(line) != std::string::npos;
  const std::string text = error.problem() + (told ? "" : "\n" + line) + way(L, line.empty() ? 1 : 2);
  return Error(where, text, error.help(), error.exit());
}

}  // namespace

Sandbox& sandbox(lua_State* L) { return **static_cast<Sandbox**>(lua_getextraspace(L)); }

void raise(lua_State* L, const Error& error) {
  const std::string where = error.where().empty() ? position(L) : shortened(error.where());
  push_raised(L, {Error(where, shortened(error.problem()), shortened(error.help()), error.exit())});
  lua_error(L);
  std::abort();  // never reached: lua_error throws
}  // not reached: lua_error throws

void raise_halt(lua_State* L) {
  lua_pushliteral(L, "the script has been ended");  // never shown: run_text throws the error that halted the script
  lua_error(L);
  std::abort();
}

void halt(lua_State* L, const Error& error) {
  if (!sandbox(L).halted()) sandbox(L).halt(tell(L, error));
  raise_halt(L);
}

void spend(lua_State* L, uint64_t instructions) {
  if (sandbox(L).halted()) raise_halt(L);
  if (const char* used = sandbox(L).budget().spend(instructions)) {
    halt(L, Error("", fmt::format("the script needs {}", used), sandbox(L).setup().loop_help));
  }
}

void halt_for_memory(lua_State* L) {
  halt(L, Error("", "the script needs " + sandbox(L).budget().memory_text(), sandbox(L).setup().memory_help));
}

void charge_memory(lua_State* L, size_t bytes) {
  auto& budget = sandbox(L).budget();
  if (budget.charge(bytes)) return;
  lua_gc(L, LUA_GCCOLLECT);
  if (!budget.charge(bytes)) halt_for_memory(L);
}

std::string position(lua_State* L) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); ++level) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline > 0 && !file_of(frame).empty())
      return fmt::format("{}:{}", file_of(frame), frame.currentline);
  }
  return "";
}

Error error_at(lua_State* L, int index) {
  if (const auto* raised = raised_at(L, index)) return raised->error;
  if (lua_type(L, index) == LUA_TSTRING) {
    size_t length = 0;
    const char* text = lua_tolstring(L, index, &length);
    return split(L, shortened({text, length}));
  }
  return Error("", fmt::format("a {} was raised as an error", luaL_typename(L, index)), "raise a string");
}

int trace_error(lua_State* L) {
  if (sandbox(L).halted()) return 1;
  if (const auto* raised = raised_at(L, -1); raised && raised->traced) return 1;
  push_raised(L, {tell(L, error_at(L, -1)), true});
  return 1;
}

std::string excerpt(const Sandbox& sandbox, const std::string& where) {
  constexpr size_t longest = 160;
  const size_t colon = where.rfind(':');
  if (colon == std::string::npos) return "";
  const auto source = sandbox.sources().find(where.substr(0, colon));
  if (source == sandbox.sources().end()) return "";
  const std::string number = where.substr(colon + 1);
  if (number.empty() || number.size() > 8 || number.find_first_not_of("0123456789") != std::string::npos) return "";

  const std::string& text = source->second;
  size_t start = 0;
  for (int line = std::stoi(number); line > 1; --line) {
    start = text.find('\n', start);
    if (start++ == std::string::npos) return "";
  }
  std::string line = text.substr(start, text.find('\n', start) - start);
  if (line.size() > longest) line = line.substr(0, longest) + " ...";
  for (char& c : line) {
    if ((c >= 0 && c < 32) || c == 127) c = ' ';
  }
  return fmt::format("{:>5} | {}", number, line);
}

std::string_view push_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) throw Error("", "'__tostring' must return a string");
  } else {
    switch (lua_type(L, index)) {
      case LUA_TNUMBER:
      case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
      case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
      default:
        lua_pushstring(L, luaL_typename(L, index));
    }
  }
  size_t length = 0;
  const char* text = lua_tolstring(L, -1, &length);
  return {text, length};
}

std::string_view check_text(lua_State* L, int argument) {
  size_t length = 0;
  const char* text = luaL_checklstring(L, argument, &length);
  return {text, length};
}

void open_errors(lua_State* L) {
  const luaL_Reg methods[] = {{"__tostring", bound<to_string>},
                              {"__concat", bound<concatenate>},
                              {"__index", bound<field>},
                              {nullptr, nullptr}};
  open_boxed<Raised>(L, error_type, methods);
}

}  // namespace compeer::lua
