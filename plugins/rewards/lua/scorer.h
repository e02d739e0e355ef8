#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compeer/conversation.h"
#include "lua/limits.h"

struct lua_State;

namespace compeer::lua_reward {

/// A script that scores completions. For every group it starts anew, in a sandbox of its own, so that nothing it keeps
/// in variables can reach another group: scores depend on the script, its settings, the group and the seed alone,
/// whatever was scored before and on whichever rank.
class Scorer {
 public:
  struct Setup {
    std::string text, name;   ///< `name` stands for the file in messages
    nlohmann::json settings;  ///< what the script gets as `...`
    lua::Limits limits;       ///< of one group
    std::function<void(std::string_view)> print;
  };

  /// Runs the script once, to see what it gives. Throws Error (exit 5), as `score` does.
  explicit Scorer(Setup setup);

  const std::vector<std::string>& parts() const { return form_.parts; }

  /// Whether the script says that it may have no opinion.
  bool abstains() const { return form_.abstains; }

  /// Writes parts() numbers for each completion, NaN where the script has no opinion. `seed`: of `math.random`.
  void score(const Group& group, uint64_t seed, double* out) const;

 private:
  /// What the script returns: a function, of one completion or of all of them.
  struct Form {
    std::vector<std::string> parts{"score"};
    bool of_group = false;
    bool abstains = false;  ///< nil is no opinion; else it is a mistake
  };

  void run(uint64_t seed, const std::function<void(lua_State*)>& use, const std::function<std::string()>& doing) const;
  Form open(lua_State* L) const;
  Form read_table(lua_State* L) const;
  void score_one(lua_State* L, const Completion& completion, double* out) const;
  void score_all(lua_State* L, const std::vector<Completion>& completions, double* out) const;
  double number(lua_State* L, int index, size_t part) const;
  std::string wanted(const std::string& what) const;

  Setup setup_;
  Form form_;
};

}  // namespace compeer::lua_reward
