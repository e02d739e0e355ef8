#include "app/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>

#include "app/terminal.h"

namespace compeer::app {
namespace {

// Returns the examples in the help, by command: "log show" -> "compeer log show smoke-grpo ...". Commands with
// subcommands have no example, only their subcommands.
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

// Returns the arguments that the shell would pass to compeer, without a preceding pipe and a redirection.
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

// A small command line: `run [--set KEY=VALUE]... FILE`, `log show|export`, and --plugin-dir for all commands.
class Usage : public testing::Test {
 protected:
  Usage() {
    app_.name("compeer");
    app_.add_option("--plugin-dir", text_);
    auto* run = app_.add_subcommand("run");
    run->add_option("FILE", text_)->required();
    run->add_option("--set", text_);
    auto* log = app_.add_subcommand("log");
    log->add_subcommand("show");
    log->add_subcommand("export");
  }

  std::string told(const std::vector<std::string>& arguments, const std::string& complaint = "FILE is required") {
    const auto error = usage_error(app_, arguments, complaint);
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }

 private:
  CLI::App app_;
  std::string text_;
};

TEST_F(Usage, NamesAnUnknownCommandAndTheNearest) {
  EXPECT_EQ(told({"rn", "x.toml"}),
            "unknown command 'rn'\n  help: did you mean 'run'? known: run, log\n        see compeer --help");
  EXPECT_EQ(told({"--plugin-dir", "p", "rnu"}),
            "unknown command 'rnu'\n  help: did you mean 'run'? known: run, log\n        see compeer --help");
  EXPECT_EQ(told({"log", "shw"}),
            "unknown command 'shw'\n  help: did you mean 'show'? known: show, export\n        see compeer log --help");
}

TEST_F(Usage, NamesAnUnknownOptionAndTheNearest) {
  EXPECT_EQ(told({"run", "--st", "a=1", "x.toml"}),
            "unknown option '--st'\n  help: did you mean '--set'? known: --help, --set, --plugin-dir\n        see "
            "compeer run --help");
  EXPECT_EQ(told({"run", "--plugin_dir=p"}),
            "unknown option '--plugin_dir'\n  help: did you mean '--plugin-dir'? known: --help, --set, --plugin-dir\n  "
            "      see compeer run --help");
}

TEST_F(Usage, NamesTheNearestOfAnOptionsValues) {
  EXPECT_EQ(told({"run", "x"}, "--device: gpu not in {cpu,cuda,auto}"),
            "--device: gpu not in {cpu,cuda,auto}\n  help: did you mean 'cuda'? see compeer run --help");
  EXPECT_EQ(told({"run", "x"}, "--dtype: int8 not in {fp32,bf16}"),
            "--dtype: int8 not in {fp32,bf16}\n  help: see compeer run --help");
}

TEST_F(Usage, NamesTheCommandsOfAGroupAndAValueThatIsNoNumber) {
  EXPECT_EQ(told({"log"}, "A subcommand is required"),
            "compeer log needs one of the commands show, export\n  help: see compeer log --help");
  EXPECT_EQ(told({"run", "x"}, "Could not convert: --last = x"),
            "--last: 'x' is not a valid number\n  help: see compeer run --help");
}

TEST(Commands, NameTheirArgumentsInCapitals) {
  CLI::App program;
  Action action;
  add_commands(program, action);
  std::function<void(const CLI::App&)> check = [&](const CLI::App& app) {
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      for (const auto* option : command->get_options([](const CLI::Option* any) { return any->get_positional(); })) {
        const auto name = option->get_name(true);
        EXPECT_TRUE(std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); })) << name;
        EXPECT_EQ(option->get_type_name(), "") << name;
      }
      check(*command);
    }
  };
  check(program);
}

TEST_F(Usage, PassesOverValuesOfOptions) {
  EXPECT_EQ(told({"run", "--set", "--strange", "x.toml"}), "FILE is required\n  help: see compeer run --help");
  EXPECT_EQ(told({"run", "--", "--strange"}), "FILE is required\n  help: see compeer run --help");
}

TEST(EscapingOutput, ShowsControlCharactersInsteadOfSendingThem) {
  std::ostringstream stream;
  {
    const EscapingOutput plain(stream);
    stream << "name\x1b]0;title\x07 " << 'x' << '\r' << "\tend\n"
           << "\x1b[2J";
    EXPECT_EQ(stream.str(), "name\\x1b]0;title\\x07 x\\x0d\tend\n") << "whole lines go at once";
  }
  EXPECT_EQ(stream.str(), "name\\x1b]0;title\\x07 x\\x0d\tend\n\\x1b[2J");
  stream << "\x1b";
  EXPECT_TRUE(stream.str().ends_with("\x1b")) << "it is what it was before";
}

TEST(EscapingOutput, KeepsCharactersWhole) {
  std::ostringstream stream;
  {
    const EscapingOutput plain(stream);
    stream << "gr\xc3"
           << "\xb6\xc3\x9f"
           << "er \xc2"
           << "\x9b"
           << "31m\xff\n";
  }
  EXPECT_EQ(stream.str(), "größer \\x9b31m\\xff\n");
}

}  // namespace
}  // namespace compeer::app
