// `require`: built-in modules, and Lua files below the script's folder.
#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/inside.h"
#include "lua/edge.h"
#include "lua/libraries.h"

namespace compeer::lua {

namespace {

namespace fs = std::filesystem;

constexpr const char* modules_key = "compeer.modules";  // registry table: name -> module
constexpr size_t longest_name = 200;

// "lib.tables" -> lib/tables.lua. Refuses names whose characters could lead outside the script's folder.
fs::path file_of_module(const std::string& name) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const bool plain = !name.empty() && name.size() <= longest_name && name.front() != '.' && name.back() != '.' &&
                     name.find_first_not_of(letters) == std::string::npos && name.find("..") == std::string::npos;
  if (!plain) {
    throw Error("", fmt::format("'{}' can't be required", name),
                "a module is a Lua file below the script's folder: require \"lib.tables\" is lib/tables.lua");
  }
  std::string file = name;
  for (char& c : file) c = c == '.' ? '/' : c;
  return file + ".lua";
}

// Returns the names of built-in modules and of Lua files in the folder, for suggestions.
std::vector<std::string> known_modules(lua_State* L, const fs::path& folder) {
  std::vector<std::string> names;
  lua_getfield(L, LUA_REGISTRYINDEX, modules_key);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) names.emplace_back(lua_tostring(L, -2));
  lua_pop(L, 1);
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".lua") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Pushes the module's chunk.
void load_module(lua_State* L, const std::string& name) {
  const auto& folder = sandbox(L).folder();
  const auto file = folder / file_of_module(name);
  std::error_code code;
  if (folder.empty()) {
    throw Error("", fmt::format("there is no module '{}'", name),
                "put everything into this script: it can't load other files");
  }
  if (!fs::exists(file, code)) {
    throw Error("", fmt::format("there is no module '{}'", name), suggest(name, known_modules(L, folder)));
  }
  if (!is_inside_resolved(folder, file))
    throw Error("", fmt::format("module '{}' lies outside the script's folder", name),
                "replace the link by the file itself");
  const std::string text = read_script(file, file.lexically_normal().string());
  const std::string shown = file.lexically_normal().string();
  spend(L, text.size());
  sandbox(L).add_source(shown, text);
  if (luaL_loadbufferx(L, text.data(), text.size(), ("@" + shown).c_str(), "t") != LUA_OK) throw error_at(L, -1);
}

// Marks a module as being loaded; throws Error if it already is.
class Loading {
 public:
  Loading(std::set<std::string>& names, const std::string& name) : names_(names), name_(name) {
    if (!names_.insert(name).second) {
      throw Error("", fmt::format("module '{}' requires itself", name), "move what both need into a third module");
    }
  }
  ~Loading() { names_.erase(name_); }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  std::set<std::string>& names_;
  std::string name_;
};

int require(lua_State* L) {
  const std::string name(check_text(L, 1));
  lua_settop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, modules_key);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;
  lua_pop(L, 1);

  const Loading loading(sandbox(L).loading, name);
  load_module(L, name);
  lua_pushstring(L, name.c_str());
  lua_call(L, 1, 1);
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name.c_str());
  return 1;
}

}  // namespace

void open_require(lua_State* L) {
  lua_newtable(L);
  lua_setfield(L, LUA_REGISTRYINDEX, modules_key);
  lua_pushcfunction(L, bound<require>);
}

int open_module(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, modules_key);
  lua_pushvalue(L, 2);
  lua_call(L, 0, 1);
  lua_setfield(L, -2, lua_tostring(L, 1));
  return 0;
}

}  // namespace compeer::lua
