#pragma once
#include <string_view>
#include <vector>

struct lua_State;

/// The part of the module `compeer` that is written in Lua: prelude/*.lua. It is trusted: its globals are a table that
/// scripts never see, with the primitives and copies of the standard library, so that a script which changes `string`
/// or `_G` changes nothing here. Errors are raised by the primitive `refuse` and get the line of the script, because
/// the texts have names that are no files.
namespace compeer::script {

struct PreludeText {
  const char* name;
  std::string_view text;
};

/// In the order in which they are run.
const std::vector<PreludeText>& prelude_texts();

/// Runs the prelude and pushes the module's table, which it has made.
void open_prelude(lua_State* L);

/// Adds the primitives to the table on top of the stack. A primitive gets arguments that the prelude has checked.
void add_primitives(lua_State* L);

// files.cpp: primitives that reach files

int report(lua_State* L);
int check_kept(lua_State* L);
int read_kept(lua_State* L);
int write_kept(lua_State* L);

}  // namespace compeer::script
