#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/hash.h"
#include "spec/text.h"

namespace compeer::report {

namespace fs = std::filesystem;

/// Fixture with a temporary folder for results of runs.
class ResultsFolder : public ::testing::Test {
 protected:
  ResultsFolder()
      : root_(fs::temp_directory_path() / ("compeer-report-" + std::to_string(::getpid()) + "-" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(root_);
  }
  ~ResultsFolder() override { fs::remove_all(root_); }

  /// Returns the contents of spec.json, with the correct hash.
  static nlohmann::json file_of(const nlohmann::json& values) {
    return {{"format", 1},
            {"sha256", sha256(spec::canonical_json(values))},
            {"spec", values},
            {"origins", {{"seed", "default"}}},
            {"plugins", nlohmann::json::array()}};
  }

  fs::path root_;  // the folder
};

}  // namespace compeer::report
