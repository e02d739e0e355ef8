#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../spec/fake_catalog.h"
#include "spec/spec.h"

namespace compeer::launch {

/// Fixture with a temporary working directory, and a shell script instead of compeer-worker. In the script "$1" is the
/// run's folder and "$2" may be --resume.
class FakeWorker : public testing::Test {
 protected:
  FakeWorker()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("compeer-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())),
        before_(std::filesystem::current_path()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    ::setenv("COMPEER_WORKER", (folder_ / "worker").c_str(), 1);
  }
  ~FakeWorker() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
    ::unsetenv("COMPEER_WORKER");
  }

  /// Sets the worker's shell commands. The function `finish` ends a run successfully. All plugins can be opened.
  void worker(const std::string& lines) const {
    std::ofstream(folder_ / "worker")
        << "#!/bin/sh\nrun=\"$1\"\n"
        << "status() { echo \"{\\\"state\\\":\\\"$1\\\",\\\"step\\\":$2,\\\"steps\\\":8,"
           "\\\"phase\\\":\\\"train\\\",\\\"metrics\\\":{\\\"reward\\\":1.5},\\\"started\\\":"
           "\\\"\\\",\\\"elapsed\\\":1,\\\"ranks\\\":1}\" > \"$run/part\" && mv \"$run/part\" "
           "\"$run/status.json\"; }\n"
        << "finish() { echo '{\"task\":\"grpo\",\"steps\":8,\"metrics\":{\"reward\":"
           "{\"mean\":1.5,\"low\":1.25,\"high\":1.75,\"n\":8}}}' > \"$run/summary.json\"; "
           "status finished 8; exit 0; }\n"
        << "[ \"$2\" = open_plugins ] && exit 0\n"
        << "echo \"called with $*\"\n"
        << lines << "\n";
    std::filesystem::permissions(folder_ / "worker", std::filesystem::perms::owner_all);
  }

  /// Returns the spec of a small GRPO run; `changes`: lines of TOML with further settings.
  static spec::Spec make_spec(const std::string& changes = "", const std::string& name = "x") {
    return spec::resolve(spec::parse_toml("name = \"" + name + "\"\ntask = \"grpo\"\n" + changes +
                                              "\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"format\"\n",
                                          "x.toml"),
                         spec::FakeCatalog());
  }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::filesystem::path& file, const std::string& text) {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::filesystem::path folder_, before_;  // the temporary working directory, and the previous one
};

}  // namespace compeer::launch
