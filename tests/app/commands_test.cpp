#include "app/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace compeer::app {
namespace {

// "log show" -> "compeer log show smoke-grpo ..."; of commands that have commands, those.
std::map<std::string, std::string> examples(const CLI::App& app, const std::string& above = "") {
  std::map<std::string, std::string> all;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto name = above + command->get_name();
    if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      all.merge(examples(*command, name + " "));
      continue;
    }
    const auto help = command->get_footer();
    const std::string begin = "Example:\n  ";
    all[name] = help.starts_with(begin) ? help.substr(begin.size(), help.find('\n', begin.size()) - begin.size()) : "";
  }
  return all;
}

// What the shell gives compeer: behind a pipe, before a redirection.
std::vector<std::string> words(std::string example) {
  example = example.substr(example.find("compeer "));
  std::istringstream text(example.substr(0, example.find(" >")));
  std::vector<std::string> all;
  for (std::string word; text >> word;) all.push_back(word);
  return {all.begin() + 1, all.end()};
}

TEST(Commands, HaveAnExampleThatTheyUnderstand) {
  CLI::App program;
  Action action;
  add_commands(program, action);
  const auto all = examples(program);
  EXPECT_EQ(all.size(), 35u);
  for (const auto& [name, example] : all) {
    SCOPED_TRACE(name + ": " + example);
    ASSERT_NE(example.find("compeer " + name), std::string::npos);
    CLI::App fresh;
    Action asked;
    add_commands(fresh, asked);
    auto arguments = words(example);
    std::reverse(arguments.begin(), arguments.end());
    EXPECT_NO_THROW(fresh.parse(arguments));
    EXPECT_TRUE(asked);
  }
}

}  // namespace
}  // namespace compeer::app
