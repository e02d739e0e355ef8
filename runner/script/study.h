#pragma once
#include <string>
#include <vector>

#include "script/study_table.h"

struct lua_State;

namespace compeer::script {

/// A study as it is declared, and what its runs came to (docs/lua.md, "Studies").
struct Study {
  StudyTable table;
  std::vector<std::string> figures;  // their names; "" for a function
  std::string kept;                  // folder for the figures of each seed; "": none
  std::vector<RunResult> runs;       // each once
  bool planned = false;              // a dry run
};

constexpr const char* row_slot = "{row}";  ///< in the name of a figure: the name of the row

/// Checks the declaration at index 1, the only value on the stack. Leaves behind it, at 2, the rows as `run` gets them,
/// and, at 3, names and functions of the figures.
Study read_study(lua_State* L);

/// The place of a name among these; an unknown one is an Error that begins with `what` and has the nearest.
size_t place_of(const std::vector<std::string>& names, const std::string& name, const std::string& what);

}  // namespace compeer::script
