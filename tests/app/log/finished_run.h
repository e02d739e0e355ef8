#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/log/log.h"
#include "base/files.h"
#include "base/hash.h"
#include "record/checkpoint.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::app {

using nlohmann::json;

/// Fixture with the folder of a finished run with a checkpoint: two steps of two prompts with two completions each.
class Log : public testing::Test {
 protected:
  Log() {
    std::string name = (std::filesystem::temp_directory_path() / "compeer-log-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    const json spec = {{"name", "tiny"}, {"task", "grpo"}, {"grpo", {{"batch", 2}, {"group_size", 2}}}};
    const auto text = write_spec(spec);
    auto run = record::RunWriter::create(folder_ / "run.h5", text, {"step", "reward", "odd,name"});
    run.append(std::vector<double>{1, 0.125, std::numeric_limits<double>::quiet_NaN()});
    run.append(std::vector<double>{2, 1234.5678, -1e-9});
    run.event(2, "info", "checkpoint\nwritten");
    run.finish("finished");
    record::RolloutWriter rollouts(folder_ / "rollouts", 0, {"reward"});
    rollouts.append(rows(1));
    rollouts.append(rows(2));
    rollouts.finish();
    record::CheckpointWriter checkpoint(folder_, 2);
    write_file(checkpoint.folder() / "model.safetensors", "weights");
    checkpoint.commit({{"step", 2}});
    record::write_status(folder_, {"finished", 2, 2, "", {}, "", 1, 1});
    record::write_summary(folder_, {"grpo", 2, {{"reward", {617, 617, 617, 1}}}});
  }
  ~Log() override { std::filesystem::remove_all(folder_); }

  /// Writes spec.json and returns its text.
  std::string write_spec(const json& spec) {
    const json file = {{"format", 1},
                       {"sha256", sha256(spec.dump())},
                       {"spec", spec},
                       {"origins", json::object()},
                       {"plugins", json::array()},
                       {"sources", json::object()}};
    write_file(folder_ / "spec.json", file.dump());
    return file.dump();
  }

  /// Returns the rows of a step's completions for the rollouts.
  static std::vector<record::RolloutRow> rows(uint64_t step) {
    std::vector<record::RolloutRow> made(4);
    for (uint64_t i = 0; i < 4; ++i) {
      made[i].step = step;
      made[i].prompt = i / 2;
      made[i].completion = i % 2;
      made[i].values = {1};
    }
    return made;
  }

  /// Returns the output of `compeer log show`.
  std::string show(LogShow options = {}) {
    options.run = folder_.string();
    std::ostringstream out;
    EXPECT_EQ(log_show(options, out), 0);
    return out.str();
  }

  /// Runs `compeer log verify`. Returns the failed checks as "what: detail"; expects the exit code that fits them.
  std::vector<std::string> failures() {
    std::ostringstream out;
    const int code = log_verify({folder_.string(), true, 60}, out);
    const json report = json::parse(out.str());
    std::vector<std::string> found;
    for (const auto& check : report["checks"])
      if (!check["good"]) found.push_back(check["what"].get<std::string>() + ": " + check["detail"].get<std::string>());
    EXPECT_EQ(code, found.empty() ? 0 : 4);
    EXPECT_EQ(report["good"], found.empty());
    return found;
  }
  using Failures = std::vector<std::string>;

  /// Flips a bit of the byte at position `at`.
  void flip_byte(const std::filesystem::path& file, size_t at) {
    std::string bytes = read_file(file);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_file(file, bytes);
  }

  std::filesystem::path folder_;  // the run's folder, temporary
};

}  // namespace compeer::app
