// A function in a script that scores completions (docs/lua.md, "A reward without a compiler").
//
//   path, script  the file, or the text itself. The text is kept in spec.json, so a run that goes on keeps its reward
//   settings      handed to the script: local settings = ...
//   instructions  Lua instructions that the scoring of one group may take
//   memory        MiB that it may take
//
// Parts: what the script names; `score` if it returns a function alone. It may abstain if the script says so.

#include "base/error.h"
#include "base/hash.h"
#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "scorer.h"

namespace {

using namespace compeer;

lua::Limits limits(const Settings& settings) {
  lua::Limits limits;
  limits.instructions = static_cast<uint64_t>(settings.integer("instructions"));
  limits.memory = static_cast<size_t>(settings.integer("memory")) << 20;
  limits.block = limits.memory / 4;
  limits.seconds = 3 + 1e-7 * static_cast<double>(limits.instructions);  // far behind the instructions
  return limits;
}

lua_reward::Scorer::Setup setup(const Settings& settings, Host& host) {
  if (!settings.has("script")) {
    throw Error("", "has neither 'path' nor 'script'", "path = \"my_reward.lua\", a file that returns a function",
                Exit::plugin);
  }
  const auto print = [&host](std::string_view line) { host.log(std::string(line.substr(0, line.rfind('\n')))); };
  return {settings.text("script"), settings.has("path") ? settings.text("path") : "script",
          settings.json().at("settings"), limits(settings), print};
}

class LuaReward : public Reward {
 public:
  LuaReward(const Settings& settings, Host& host) : host_(host), scorer_(setup(settings, host)) {}

  std::vector<std::string> columns() const override { return scorer_.parts(); }

  Scores score(const Group& group) override {
    const auto& parts = scorer_.parts();
    std::vector<double> numbers(group.completions.size() * parts.size());
    scorer_.score(group, seed_of(group.example.id), numbers.data());
    Scores scores;
    auto number = numbers.begin();
    for (size_t i = 0; i < group.completions.size(); ++i) {
      for (const auto& part : parts) scores[part].push_back(*number++);
    }
    return scores;
  }

  bool abstains() const override { return scorer_.abstains(); }

 private:
  // A function of the run's seed and the example, so the same group gets the same numbers wherever it is scored.
  uint64_t seed_of(const std::string& example) {
    const auto id = std::stoull(sha256(example).substr(0, 16), nullptr, 16);
    const auto bits = [&](uint32_t half) {
      const double number = host_.random(static_cast<uint32_t>(id), static_cast<uint32_t>(id >> 32), half);
      return static_cast<uint64_t>(number * 0x1p32);
    };
    return bits(0) << 32 | bits(1);
  }

  Host& host_;
  lua_reward::Scorer scorer_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, lua, LuaReward, R"json(
  "version": "1.0.0",
  "summary": "A function in a script file scores completions.",
  "parameters": {
    "path": {"type": "path", "default": null, "help": "the script's file: Lua that returns a function"},
    "script": {"type": "string", "default": null, "contents_of": "path",
               "help": "the script itself; with 'path', what the file held when the run was made"},
    "settings": {"type": "table", "default": {}, "open": true, "help": "what the script gets as '...'"},
    "instructions": {"type": "integer", "default": 10000000, "min": 1000, "max": 100000000000,
                     "help": "Lua instructions that the scoring of one group may take"},
    "memory": {"type": "integer", "default": 64, "min": 1, "max": 16384, "help": "MiB that it may take"}
  })json")
