#include "base/inside.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;

class Inside : public testing::Test {
 protected:
  Inside() : folder_(fs::path(testing::TempDir()) / ("inside-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run" / "checkpoints" / "step-000002");
    std::ofstream(folder_ / "run" / "run.h5") << "rows";
  }
  ~Inside() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Inside, IsJudgedByWhereLinksLead) {
  fs::create_directory_symlink("/etc", folder_ / "run" / "away");
  fs::create_directory_symlink(folder_ / "run", folder_ / "same");
  EXPECT_TRUE(is_inside_resolved(folder_ / "run", folder_ / "run"));
  EXPECT_TRUE(is_inside_resolved(folder_ / "run/", folder_ / "run/not/there/yet"));
  EXPECT_TRUE(is_inside_resolved(folder_ / "run", folder_ / "same/run.h5"));
  EXPECT_FALSE(is_inside_resolved(folder_ / "run", folder_ / "run/away/passwd"));
  EXPECT_FALSE(is_inside_resolved(folder_ / "run", folder_ / "run/away/not/there/yet"));
  EXPECT_FALSE(is_inside_resolved(folder_ / "run", folder_ / "run/../other"));
  EXPECT_FALSE(is_inside_resolved(folder_ / "run", folder_ / "runner"));
  EXPECT_FALSE(is_inside_resolved(folder_ / "run", "/etc/passwd"));
}

TEST_F(Inside, IsJudgedByNamesAloneWhereLinksAreTheOwners) {
  fs::create_directory_symlink("/etc", folder_ / "run" / "away");
  EXPECT_TRUE(is_inside_lexically(folder_ / "run", folder_ / "run/away/passwd"));
  EXPECT_TRUE(is_inside_lexically(folder_ / "run/", folder_ / "run/x/../y"));
  EXPECT_TRUE(is_inside_lexically("/", "/x"));
  EXPECT_TRUE(is_inside_lexically("", "x.png")) << "the folder of a file that is named by itself";
  for (const char* out : {"..", "../runner", "x/../../y", "/etc/passwd", "../run/../../x"})
    EXPECT_FALSE(is_inside_lexically(folder_ / "run", folder_ / "run" / out)) << out;
}

TEST_F(Inside, FindsNothingInAnHonestRun) {
  EXPECT_EQ(find_special_file(folder_ / "run"), "");
  fs::create_directory_symlink("step-000002", folder_ / "run/checkpoints/last");
  EXPECT_EQ(find_special_file(folder_ / "run"), "");
  fs::remove(folder_ / "run/checkpoints/step-000002");
  EXPECT_EQ(find_special_file(folder_ / "run"), "") << "its checkpoint was removed";
}

TEST_F(Inside, FindsLinksThatLeadOutAtAnyDepth) {
  const auto link = folder_ / "run/checkpoints/step-000002/model.safetensors";
  for (const char* target : {"/etc/passwd", "../run.h5", "..", ".", "sub/x", "/", "../../.."}) {
    fs::create_symlink(target, link);
    EXPECT_EQ(find_special_file(folder_ / "run"), link) << target;
    fs::remove(link);
  }
}

TEST_F(Inside, FindsLinksToLinks) {
  fs::create_symlink("hop", folder_ / "run/log.txt");
  fs::create_symlink("/etc/passwd", folder_ / "run/hop");
  EXPECT_NE(find_special_file(folder_ / "run"), "");
}

TEST_F(Inside, FindsPipes) {
  ASSERT_EQ(::mkfifo((folder_ / "run/log.txt").c_str(), 0600), 0);
  EXPECT_EQ(find_special_file(folder_ / "run"), folder_ / "run/log.txt");
}

TEST_F(Inside, NamesWhatLeadsOut) {
  fs::create_symlink("/etc/passwd", folder_ / "run/log.txt");
  try {
    refuse_links(folder_ / "run");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), (folder_ / "run/log.txt").string());
    EXPECT_EQ(error.problem(), "is a link, a pipe or a device, but a run writes into its own folder only");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer
