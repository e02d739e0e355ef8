#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace compeer::report {

namespace fs = std::filesystem;

/// A folder of results that is gone after the test.
class ResultsFolder : public ::testing::Test {
 protected:
  ResultsFolder()
      : root_(fs::temp_directory_path() / ("compeer-report-" + std::to_string(::getpid()) + "-" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(root_);
  }
  ~ResultsFolder() override { fs::remove_all(root_); }

  fs::path root_;
};

}  // namespace compeer::report
