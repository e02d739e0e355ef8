#include <fstream>

#include "../../lua/battery.h"
#include "built.h"
#include "places.h"

namespace compeer {

namespace {

using nlohmann::json;

plugin::Plugin<Reward> scripted(const std::string& script, json settings = json::object()) {
  settings["script"] = script;
  if (!settings.contains("path")) settings["path"] = "kind.lua";
  return built::open<Reward>("lua", settings);
}

std::vector<double> scores(plugin::Plugin<Reward>& reward, const std::vector<Completion>& completions,
                           const Example& example = {}) {
  return built::values(plugin::score(reward, {example, completions}, plugin::columns(reward)));
}

std::vector<double> scores(const std::string& script, const std::vector<Completion>& completions,
                           const Example& example = {}) {
  auto reward = scripted(script);
  return scores(reward, completions, example);
}

// Returns the error without the plugin's file: "kind.lua:2: ...|help".
std::string complaint(const std::string& script, const json& settings = json::object()) {
  try {
    auto reward = scripted(script, settings);
    const Example example{"dialogue 7", {}, "", {}};
    scores(reward, built::completions({"a", "b"}), example);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
    return error.problem() + "|" + error.help();
  }
  return "";
}

TEST(LuaReward, ScoresEachCompletionByItsTextAndExample) {
  const Example example{"e1", {{"user", "I am sad"}, {"assistant", "oh"}}, "yes", json{{"labels", {1, 2}}}};
  const std::vector<Completion> all{{"abc", 5, true}, {"a", 7, false}};
  EXPECT_EQ(scores("return function(completion, example)\n"
                   "  assert(example.id == 'e1' and example.answer == 'yes' and #example.history == 2)\n"
                   "  assert(example.history[1].role == 'user' and example.history[2].text == 'oh')\n"
                   "  return #completion.text + completion.tokens * 10 + (completion.finished and 100 or 0)\n"
                   "    + example.record.labels[2] * 1000\n"
                   "end",
                   all, example),
            (std::vector<double>{2153, 2071}));
}

TEST(LuaReward, NamesItsParts) {
  auto reward = scripted("return { parts = { 'reward', 'length' }, score = function(c) return 1, #c.text end }");
  EXPECT_EQ(plugin::columns(reward), (std::vector<std::string>{"reward", "length"}));
  EXPECT_EQ(scores(reward, built::completions({"ab", ""})), (std::vector<double>{1, 2, 1, 0}));
  auto plain = scripted("return function() return 0 end");
  EXPECT_EQ(plugin::columns(plain), std::vector<std::string>{"score"});
}

TEST(LuaReward, ScoresAGroupAtOnce) {
  const auto all = built::completions({"a", "bb", "a"});
  EXPECT_EQ(scores("return { group = function(completions)\n"
                   "  local seen, out = {}, {}\n"
                   "  for i, c in ipairs(completions) do out[i] = seen[c.text] and 0 or 1 ; seen[c.text] = true end\n"
                   "  return out\n"
                   "end }",
                   all),
            (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(scores("return { parts = { 'a', 'b' }, group = function() return { {1, 2}, {3, 4}, {5, 6} } end }", all),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(LuaReward, HasNoOpinionWhereItSaysThatItMayAbstain) {
  const auto all = built::completions({"", "x"});
  auto reward =
      scripted("return { abstains = true, score = function(c) if c.text == '' then return nil end return 1 end }");
  EXPECT_TRUE(reward.call("abstains", [](Reward& r) { return r.abstains(); }));
  const auto one = scores(reward, all);
  EXPECT_TRUE(std::isnan(one[0]));
  EXPECT_EQ(one[1], 1);
  const auto parts = scores(
      "return { abstains = true, parts = {'a', 'b'}, score = function(c) if c.text == '' then return nil end "
      "return nil, 2 end }",
      all);
  EXPECT_TRUE(std::isnan(parts[0]) && std::isnan(parts[1]) && std::isnan(parts[2]));
  EXPECT_EQ(parts[3], 2);
  const auto group = scores("return { abstains = true, group = function() return { nil, 3 } end }", all);
  EXPECT_TRUE(std::isnan(group[0]));
  EXPECT_EQ(group[1], 3);
}

// As for rewards in C++: a value that is not finite is an error, unless the reward declares that it may abstain.
TEST(LuaReward, MustGiveANumberElse) {
  auto plain = scripted("return function() return 0/0 end");
  EXPECT_FALSE(plain.call("abstains", [](Reward& r) { return r.abstains(); }));
  const std::string code = "\n    1 | ", doing = "\n  scoring completion 0 (the first is 0)",
                    help = "; to abstain with nil, the script must return { abstains = true, ... }";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"return function() return 0/0 end", "returned NaN in column 'score' of completion 0 (the first is 0)"},
      {"return { parts = {'a', 'b'}, score = function() return 1, 0/0 end }",
       "returned NaN in column 'b' of completion 0 (the first is 0)"},
      {"return function(c) return c.text == 'b' and -1/0 or 0 end",
       "returned -infinity in column 'score' of completion 1 (the first is 0)"},
      {"return { group = function() return { 1, 0/0 } end }",
       "returned NaN in column 'score' of completion 1 (the first is 0)"},
      {"return { abstains = true, score = function() return 1/0 end }",
       "returned +infinity in column 'score' of completion 0 (the first is 0)"}};
  for (const auto& [script, problem] : cases) {
    EXPECT_EQ(complaint(script), problem +
                                     "|every number must be finite: look for a division by zero, a logarithm of "
                                     "zero, or a number beyond 3.4e38");
  }
  for (const auto& [script, returned, wanted, said] : std::vector<std::array<std::string, 4>>{
           {"return function() return nil end", "nil for 'score'", "return a number", doing},
           {"return { parts = {'a', 'b'}, score = function() return 1, nil end }", "nil for 'b'", "return a number",
            doing},
           {"return { parts = {'a', 'b'}, score = function() return nil end }", "1 value instead of 2 (a, b)",
            "return a number for each part", doing},
           {"return { group = function() return { 1 } end }", "nil for completion 1 (the first is 0)",
            "return a number for each", "\n  scoring all 2 completions"}}) {
    EXPECT_EQ(complaint(script),
              "kind.lua:1: the function returned " + returned + code + script + said + "|" + wanted + help);
  }
  EXPECT_EQ(complaint("return function() return -1e300 end"),
            "kind.lua:1: the function returned -1e+300 for 'score'\n    1 | return function() return -1e300 end" +
                doing + "|return a number up to 3.4e38");
  EXPECT_EQ(complaint("return { abstains = 1, score = print }"),
            "kind.lua: 'abstains' must be true or false|with abstains = true the function may return nil: no reward");
}

TEST(LuaReward, RemembersNothingBetweenGroups) {
  auto reward = scripted(
      "local n, seen = 0, {}\n"
      "return function(c)\n"
      "  n = n + 1 ; seen[#seen + 1] = c.text ; string.n = (rawget(string, 'n') or 0) + 1\n"
      "  return n + #seen * 10 + string.n * 100\n"
      "end");
  const std::vector<double> expected{111, 222};
  EXPECT_EQ(scores(reward, built::completions({"a", "b"})), expected);
  EXPECT_EQ(scores(reward, built::completions({"c", "d"})), expected);
}

TEST(LuaReward, DrawsRandomNumbersByRunAndExample) {
  const std::string script = "return function() return math.random() end";
  const auto all = built::completions({"a", "b"});
  const Example one{"one", {}, "", {}}, two{"two", {}, "", {}};
  auto reward = scripted(script);
  const auto first = scores(reward, all, one);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(scores(reward, all, two), first);
  EXPECT_EQ(scores(reward, all, one), first);
  EXPECT_EQ(scores(script, all, one), first);
}

TEST(LuaReward, GetsItsSettings) {
  auto reward = scripted("local settings = ...\nreturn function(c) return settings.words[c.text] or settings.other end",
                         {{"settings", {{"words", {{"yes", 2}}}, {"other", -1}}}});
  EXPECT_EQ(scores(reward, built::completions({"yes", "no"})), (std::vector<double>{2, -1}));
}

TEST(LuaReward, SaysWhatIsWrongAndWhere) {
  const std::string help = "; to abstain with nil, the script must return { abstains = true, ... }";
  EXPECT_EQ(complaint("return function(c)\n  return c.txt + 1\nend"),
            "kind.lua:2: attempt to perform arithmetic on a nil value (field 'txt')\n    2 |   return c.txt + 1\n"
            "  scoring completion 0 (the first is 0)|");
  EXPECT_EQ(complaint("local function kind(c)\n  error('too rude')\nend\nreturn function(c)\n  local k = kind(c)\n"
                      "  return k\nend"),
            "kind.lua:2: too rude\n    2 |   error('too rude')\n  in function 'kind' (kind.lua:2)\n"
            "  in the function of line 4 (kind.lua:5)\n  scoring completion 0 (the first is 0)|");
  EXPECT_EQ(complaint("return functoin() end").substr(0, 12), "kind.lua:1: ");
  EXPECT_EQ(complaint("local x = 1"),
            "kind.lua: returns a nil|return function(completion, example) ... end, or { parts = { \"reward\", ... }, "
            "score = function ... end }");
  EXPECT_EQ(complaint("return { scoer = print }"),
            "kind.lua: returns a table with 'scoer'|did you mean 'score'? known: abstains, group, parts, score");
  EXPECT_EQ(complaint("return { parts = { 1 }, score = print }"),
            "kind.lua: 'parts' must be a list of names|parts = { \"reward\", \"politeness\" }");
  EXPECT_EQ(complaint("\nreturn function(c)\n  local x = c.text\nend"),
            "kind.lua:2: the function returned nothing instead of 1 (score)\n    2 | return function(c)\n"
            "  scoring completion 0 (the first is 0)|return a number for each part" +
                help);
  EXPECT_EQ(complaint("return { parts = {'a', 'b'}, score = function(c) return 1 end }"),
            "kind.lua:1: the function returned 1 value instead of 2 (a, b)\n"
            "    1 | return { parts = {'a', 'b'}, score = function(c) return 1 end }\n"
            "  scoring completion 0 (the first is 0)|return a number for each part" +
                help);
  EXPECT_EQ(
      complaint("return function(c) return c.finished end"),
      "kind.lua:1: the function returned a boolean for 'score'\n    1 | return function(c) return c.finished end\n"
      "  scoring completion 0 (the first is 0)|return a number" +
          help);
  EXPECT_EQ(complaint("return { group = function(all) return { 1, 2, 3 } end }"),
            "kind.lua:1: the function returned a list of 3 for 2 completions\n"
            "    1 | return { group = function(all) return { 1, 2, 3 } end }\n"
            "  scoring all 2 completions|");
  EXPECT_EQ(complaint("while true do end", {{"instructions", 5000}}),
            "kind.lua:1: the script needs more than 5000 instructions\n    1 | while true do end|"
            "look for an endless loop, or raise the setting 'instructions'");
  EXPECT_EQ(complaint("require 'words'"),
            "kind.lua:1: there is no module 'words'\n    1 | require 'words'|"
            "put everything into this script: it can't load other files");
}

TEST(LuaReward, CountsTheMemoryOfWhatItReads) {
  const auto told = complaint(
      "local name, parts = string.rep('x', 6000000), {}\nfor i = 1, 100 do parts[i] = name end\n"
      "return { parts = parts, score = print }",
      {{"memory", 32}});
  EXPECT_EQ(told, "kind.lua: the script needs more than 32 MiB of memory|raise the setting 'memory'");
}

TEST(LuaReward, NeedsAScript) {
  try {
    built::open<Reward>("lua");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has neither 'path' nor 'script'");
  }
}

TEST(LuaReward, KeepsTheContractOfItsKind) {
  auto reward = scripted("return { parts = { 'a', 'b' }, score = function(c, e) return #c.text, #e.history end }");
  built::keeps_contract(reward);
}

// The script of docs/lua.md.
TEST(LuaReward, OfThePageWorks) {
  std::ifstream in(COMPEER_SOURCE_DIR "/docs/lua.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto start = page.find("```lua\n", page.find("## A reward without a compiler")) + 7;
  auto reward = scripted(page.substr(start, page.find("```", start) - start), {{"settings", {{"most", 2}}}});
  EXPECT_EQ(plugin::columns(reward), (std::vector<std::string>{"reward", "questions", "echo"}));
  const Example example{"e", {{"user", "I lost my job today"}}, "", {}};
  std::vector<Completion> all = built::completions({"How are you? Why? When?", "So: I lost my job."});
  all.push_back({"How", 1, false});
  const auto made = scores(reward, all, example);
  EXPECT_EQ(made[0], 2);  // three questions, counted at most twice
  EXPECT_EQ(made[1], 3);
  EXPECT_EQ(made[2], 0);
  EXPECT_EQ(made[3], -1);            // repeats four consecutive words
  EXPECT_TRUE(std::isnan(made[6]));  // truncated
}

class RewardBattery : public testing::TestWithParam<lua::Nasty> {};

TEST_P(RewardBattery, EndsAndSaysWhy) {
  const bool hungry = GetParam().problem == lua::hungry;
  const auto& limits = hungry ? lua::little_memory : lua::few_instructions;
  const json settings{{"instructions", limits.instructions}, {"memory", limits.memory >> 20}};
  const auto told = complaint("return function()\n" + std::string(GetParam().text) + "\nend", settings);
  EXPECT_NE(told.find(GetParam().problem), std::string::npos) << told;
  EXPECT_EQ(told.substr(0, 9), "kind.lua:") << told;
}

INSTANTIATE_TEST_SUITE_P(LuaReward, RewardBattery, testing::ValuesIn(lua::battery),
                         [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace compeer
