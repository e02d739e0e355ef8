#include "plugin/allow_list.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "folder.h"
#include "tiny_elf.h"

namespace compeer::plugin {
namespace {

const std::string a(64, 'a'), b(64, 'b');

// "where: what|help|exit" of what is thrown.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.where() + ": " + error.problem() + "|" + error.help() + "|" +
           std::to_string(static_cast<int>(error.exit()));
  }
  return "none";
}

TEST(AllowList, IsATextThatReadsBack) {
  Folder folder;
  const auto text = allow_list_text({{"rewards", "length", "1.0.0", b}, {"datasets", "esc_world", "2.1", a}});
  EXPECT_TRUE(text.ends_with(a + "  datasets/esc_world  2.1\n" + b + "  rewards/length  1.0.0\n")) << text;
  const auto read = read_allow_list(folder.write("compeer.lock", "\n  # a remark\r\n" + text));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].kind + " " + read[1].name + " " + read[1].version + " " + read[1].sha256,
            "rewards length 1.0.0 " + b);
}

TEST(AllowList, IsTheSameTextInWhateverOrderItWasWritten) {
  const Allowed one{"rewards", "length", "1.0.0", a}, same_but_older{"rewards", "length", "0.9.0", a};
  EXPECT_EQ(allow_list_text({one, same_but_older}), allow_list_text({same_but_older, one}));
}

TEST(AllowList, NamesALineThatItCanNotRead) {
  Folder folder;
  const std::vector<std::string> lines{"abc  rewards/length  1.0.0", a + "  length  1",
                                       a + "  /length  1",           a + "  rewards/  1",
                                       a + "  rewards/length  1  2", std::string(64, 'A') + "  rewards/length  1"};
  for (const auto& line : lines) {
    const auto file = folder.write("compeer.lock", "# one\n" + line + "\n");
    const auto said = refusal([&] { read_allow_list(file); });
    EXPECT_TRUE(said.starts_with(file.string() + ":2: is no line of a list of allowed plugins: " + line.substr(0, 3)))
        << said;
  }
}

TEST(AllowList, ThatIsMissingAllowsNothing) {
  EXPECT_EQ(refusal([] { AllowLists(std::vector<std::filesystem::path>{"/no/such/compeer.lock"}); }),
            "/no/such/compeer.lock: plugin allow list can't be read: No such file or directory|compeer "
            "plugins lock --output FILE writes a list of allowed plugins|5");
}

TEST(AllowList, AllowsWhatAllListsName) {
  Folder folder;
  const auto site = folder.write("site", a + "  rewards/length  1\n" + b + "  rewards/format  1\n");
  const auto mine = folder.write("mine", a + "  rewards/length  1\n");
  const AllowLists none{std::vector<std::filesystem::path>()}, both(std::vector<std::filesystem::path>{site, mine});
  EXPECT_FALSE(none.in_force());
  EXPECT_EQ(none.reason("rewards", "evil", a), "");
  EXPECT_EQ(none.hash(), "");
  EXPECT_EQ(both.reason("rewards", "length", a), "");
  EXPECT_EQ(refusal([&] { both.refuse("rewards", "format", "/x/rewards/format.so", b); }),
            "/x/rewards/format.so: plugin rewards/format is not in the list of allowed plugins " + mine.string() +
                ": its SHA-256 is " + b +
                "|if you trust it, add it to the list: compeer plugins lock writes the lines|5");
  EXPECT_EQ(both.reason("rewards", "length", b), "is not in the list of allowed plugins " + site.string() +
                                                     ": its SHA-256 is " + b + ", that of the one allowed " + a);
}

TEST(AllowList, IsNamedByEachEntryOfTheVariable) {
  ::unsetenv("COMPEER_LOCKED");
  EXPECT_EQ(AllowLists::wanted(), std::vector<std::filesystem::path>());
  ::setenv("COMPEER_LOCKED", "a.lock:b/c.lock", 1);
  EXPECT_EQ(AllowLists::wanted(), (std::vector<std::filesystem::path>{"a.lock", "b/c.lock"}));
  for (const char* value : {"", ":", "a.lock:", ":a.lock", "a.lock::b.lock"}) {
    ::setenv("COMPEER_LOCKED", value, 1);
    EXPECT_EQ(refusal([] { AllowLists::wanted(); }),
              "COMPEER_LOCKED: has an empty entry, which is no list of allowed plugins"
              "|name a file in each entry, or unset COMPEER_LOCKED|5")
        << value;
  }
  ::unsetenv("COMPEER_LOCKED");
}

TEST(AllowList, KeepsAPluginOutOfSpecs) {
  Folder folder;
  const auto bytes = tiny_elf(probe_descriptor());
  folder.write("plugins/rewards/probe.so", bytes);
  const Finder finder({folder.path() / "plugins"});
  const auto hash = finder.find("rewards", "probe").sha256;
  const auto list = folder.write("compeer.lock", a + "  rewards/probe  1.0.0\n");
  ::setenv("COMPEER_LOCKED", list.c_str(), 1);
  EXPECT_NE(refusal([&] { finder.find("rewards", "probe"); }).find("not in the list of allowed"), std::string::npos);
  folder.write("compeer.lock", hash + "  rewards/probe  1.0.0\n");
  EXPECT_EQ(refusal([&] { finder.find("rewards", "probe"); }), "none");
  ::unsetenv("COMPEER_LOCKED");
}

}  // namespace
}  // namespace compeer::plugin
