#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/files.h"
#include "conformance/reference/stubs.h"
#include "lua/sandbox.h"
#include "places.h"
#include "plugin/tiny_elf.h"
#include "script/fake_actions.h"
#include "script/module.h"

namespace compeer::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<plugin::Found> built() { return plugin::Finder({fs::path(COMPEER_BINARY_DIR) / "plugins"}).all(); }

plugin::Found probe(const std::string& parameters) {
  plugin::Found found;
  found.kind = "rewards";
  found.name = "probe";
  found.descriptor = plugin::read_descriptor(tiny_elf(probe_descriptor(parameters)), "rewards/probe.so");
  return found;
}

const std::string every_type = R"({
  "n": {"type": "integer", "default": 3, "min": 1, "help": "how many | in all"},
  "style": {"type": "string", "choices": ["warm", "calm"], "help": "manner"},
  "file": {"type": "path", "default": null, "help": "where from"},
  "odd-one": {"type": "list", "items": "number", "default": [1.5], "help": "weights"},
  "any": {"type": "table", "open": true, "default": {}, "help": "the user's own"},
  "size": {"type": "table", "help": "how large",
           "parameters": {"deep": {"type": "boolean", "default": true, "help": "or flat"}}},
  "like": {"type": "plugin", "kind": "similarity", "default": "hashed_ngrams", "help": "how alike"}})";

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(LuaStubs, DeclareEverySettingWithItsType) {
  const auto stubs = lua_stubs({probe(every_type)});
  EXPECT_TRUE(
      holds(stubs,
            "---A probe.\n"
            "---@class compeer.rewards.probe.size\n"
            "---@field deep? boolean or flat (true or false; default true)\n\n"
            "---@class compeer.rewards.probe : compeer.section.rewards\n"
            "---@field plugin? \"probe\"\n"
            "---@field n? integer how many | in all (an integer of at least 1; default 3)\n"
            "---@field style? \"warm\"|\"calm\" manner (one of warm, calm; required)\n"
            "---@field file? string|compeer.Output where from (a path (a string or { run = \"NAME\" }); unset)\n"
            "---@field [\"odd-one\"]? (number)[] weights (a list of numbers; default [1.5])\n"
            "---@field any? table<string, any> the user's own (a table; default {})\n"
            "---@field size? compeer.rewards.probe.size how large (required)\n"
            "---@field like? compeer.similarity how alike"))
      << stubs;
  EXPECT_TRUE(holds(stubs, "\n---@alias compeer.rewards compeer.rewards.probe\n")) << stubs;
  EXPECT_TRUE(holds(stubs,
                    "\n---@field clip? number clip range of the ratio on both sides of 1 (epsilon) (a number above 0; "
                    "default 0.2)\n"));
}

TEST(LuaStubs, KeepChoicesInTheirQuotes) {
  const auto stubs = lua_stubs({probe(R"({"a": {"type": "string", "choices": ["x\"|any", "y\\"], "help": "odd"}})")});
  EXPECT_TRUE(holds(stubs, R"(---@field a? "x\"|any"|"y\\" odd )")) << stubs;
}

TEST(LuaStubs, NameWhatMayStandForAPluginOfAKind) {
  const auto stubs = lua_stubs(built());
  EXPECT_TRUE(holds(stubs, "\n---@alias compeer.similarity \"hashed_ngrams\"|compeer.similarity.hashed_ngrams|"));
  EXPECT_TRUE(
      holds(stubs, "\n---@alias compeer.models compeer.models.llama|compeer.models.mistral|compeer.models.qwen2|"));
  EXPECT_TRUE(holds(stubs, "\n---@field rewards? compeer.rewards[] "));
}

// The stubs declare exactly the functions of the module.
TEST(LuaStubs, DeclareTheModuleAsItIs) {
  const auto stubs = lua_stubs({});
  std::string script = "local compeer = require 'compeer'\nlocal there, declared = {}, {}\n";
  const std::regex function("function (compeer\\.|experiment:)(\\w+)\\(");
  for (auto at = std::sregex_iterator(stubs.begin(), stubs.end(), function); at != std::sregex_iterator(); ++at) {
    const bool of_module = (*at)[1] == "compeer.";
    script += of_module ? "declared['" + (*at)[2].str() + "'] = true\n"
                        : "assert(type(compeer.experiment({ name = 'x' })['" + (*at)[2].str() + "']) == 'function')\n";
  }
  script +=
      "for name, value in pairs(compeer) do if type(value) == 'function' then there[name] = true end end\n"
      "for name in pairs(there) do assert(declared[name], name .. ' is not declared') end\n"
      "for name in pairs(declared) do assert(there[name], name .. ' is declared, but not there') end\n";
  for (const std::string& text : {stubs, script}) {
    lua::Sandbox sandbox;
    script::add_compeer(sandbox, std::make_shared<script::FakeActions>());
    EXPECT_NO_THROW(sandbox.run_text(text, "stubs.lua")) << text;
  }
}

}  // namespace
}  // namespace compeer::conformance
