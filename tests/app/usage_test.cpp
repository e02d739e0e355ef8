#include "app/commands.h"

#include <gtest/gtest.h>

namespace compeer::app {
namespace {

// A small program: `run [--set KEY=VALUE]... FILE`, `log show|export`, and --plugin-dir for all.
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

TEST_F(Usage, PassesOverValuesOfOptions) {
  EXPECT_EQ(told({"run", "--set", "--strange", "x.toml"}), "FILE is required\n  help: see compeer run --help");
  EXPECT_EQ(told({"run", "--", "--strange"}), "FILE is required\n  help: see compeer run --help");
}

}  // namespace
}  // namespace compeer::app
