#include "plugin/quarantine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "folder.h"

namespace compeer::plugin {
namespace {

namespace fs = std::filesystem;

TEST(Quarantine, RemembersWhatCrashedAsItWasThen) {
  const Folder folder;
  const auto library = folder.write("rewards/a.so", "library");
  const auto file = folder.path() / "cache/quarantine.json";
  Quarantine(file).add(library, "abc", "crashed in score()");
  const Quarantine list(file);
  EXPECT_EQ(list.problem(), "");
  EXPECT_EQ(list.reason(library, "abc"), "crashed in score()");
  EXPECT_EQ(list.reason(library, "abd"), "") << "it has been built again";
  EXPECT_EQ(list.reason(folder.path() / "rewards/b.so", "abc"), "");
  EXPECT_EQ(list.reason(folder.path() / "rewards/../rewards/a.so", "abc"), "crashed in score()");
  EXPECT_NE(read_file(file).find("\"size\": 7"), std::string::npos);
}

TEST(Quarantine, IsLifted) {
  const Folder folder;
  const auto a = folder.write("rewards/a.so", "a"), b = folder.write("rewards/b.so", "b");
  const auto file = folder.path() / "quarantine.json";
  Quarantine list(file);
  list.add(a, "1", "crashed");
  list.add(b, "2", "did not come back");
  list.add(a, "1", "crashed again");
  EXPECT_EQ(Quarantine(file).reason(a, "1"), "crashed again");
  list.remove(a);
  EXPECT_EQ(Quarantine(file).reason(a, "1"), "");
  EXPECT_EQ(Quarantine(file).reason(b, "2"), "did not come back");
}

TEST(Quarantine, ForgetsFilesThatAreGone) {
  const Folder folder;
  const auto a = folder.write("rewards/a.so", "a"), b = folder.write("rewards/b.so", "b");
  const auto file = folder.path() / "quarantine.json";
  Quarantine(file).add(a, "1", "crashed");
  fs::remove(a);
  Quarantine(file).add(b, "2", "crashed");
  EXPECT_EQ(read_file(file).find("a.so"), std::string::npos);
}

TEST(Quarantine, SaysWhatToDo) {
  const Folder folder;
  const auto library = folder.write("rewards/a.so", "a");
  Quarantine list(folder.path() / "quarantine.json");
  EXPECT_NO_THROW(list.refuse("rewards/a", library, "1"));
  list.add(library, "1", "crashed (abort) in score()");
  try {
    list.refuse("rewards/a", library, "1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_EQ(error.where(), library.string());
    EXPECT_EQ(error.problem(), "plugin rewards/a is quarantined: when it was checked it crashed (abort) in score()");
    EXPECT_EQ(error.help(), "mend it and build it again, or lift it by a check that it passes: compeer plugins check " +
                                library.string());
  }
}

TEST(Quarantine, OutOfAFileThatIsNoneIsEmpty) {
  const Folder folder;
  for (const char* text : {"", "{", "[]", "{\"format\": 2, \"plugins\": []}", "{\"format\": 1, \"plugins\": [{}]}"}) {
    const auto file = folder.write("quarantine.json", text);
    const Quarantine list(file);
    EXPECT_EQ(list.problem(), file.string() + ": is no list of quarantined plugins, and is ignored") << text;
    EXPECT_EQ(list.reason("/x/a.so", ""), "") << text;
  }
  EXPECT_EQ(Quarantine(folder.path() / "nothing.json").problem(), "");
}

TEST(Quarantine, ThatCantBeWrittenIsSaid) {
  const Folder folder;
  const auto library = folder.write("rewards/a.so", "a");
  Quarantine nowhere((fs::path()));
  EXPECT_THROW(nowhere.add(library, "1", "crashed"), Error);
  const auto in_the_way = folder.write("file", "");
  Quarantine blocked(in_the_way / "quarantine.json");
  EXPECT_THROW(blocked.add(library, "1", "crashed"), Error);
}

}  // namespace
}  // namespace compeer::plugin
