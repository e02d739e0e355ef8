#include "plugin/search.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "base/hash.h"
#include "folder.h"
#include "plugin/allow_list.h"
#include "tiny_elf.h"

namespace compeer::plugin {
namespace {

namespace fs = std::filesystem;

std::string probe() { return tiny_elf(probe_descriptor(R"({"n": {"type": "integer", "default": 3}})")); }

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("", "");
}

// Sets an environment variable for the duration of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(Finder, FindsByKindAndName) {
  Folder folder;
  const auto file = folder.write("rewards/probe.so", probe());
  const auto info = Finder({folder.path()}).find("rewards", "probe");
  EXPECT_EQ(info.kind, "rewards");
  EXPECT_EQ(info.version, "1.0.0");
  EXPECT_EQ(info.path, file.string());
  EXPECT_EQ(info.sha256, sha256(probe()));
  EXPECT_EQ(info.parameters.at(0).name, "n");
}

// Reading /proc/self/mem fails with an I/O error, like a bad disk: address 0 is never mapped.
TEST(Finder, DoesNotBlameAPluginForAFailingDisk) {
  Folder folder;
  const auto file = folder.path() / "rewards" / "probe.so";
  fs::create_directory(file.parent_path());
  fs::create_symlink("/proc/self/mem", file);
  const auto error = error_of([&] { Finder({folder.path()}).find("rewards", "probe"); });
  EXPECT_EQ(error.exit(), Exit::failure);
  EXPECT_EQ(error.where(), file.string());
  EXPECT_EQ(error.problem(), "can't be read: Input/output error");
  EXPECT_EQ(error_of([&] { read_descriptor(file); }).exit(), Exit::failure);
}

TEST(Finder, SuggestsTheNearestNameAndListsWhereItLooked) {
  Folder folder;
  folder.write("rewards/probe.so", probe());
  const Finder finder({folder.path(), "/no/such/folder"});
  const auto error = error_of([&] { finder.find("rewards", "prob"); });
  EXPECT_EQ(error.exit(), Exit::spec);
  EXPECT_EQ(error.where(), "rewards/prob");
  EXPECT_EQ(error.problem(), "no such plugin");
  EXPECT_EQ(error.help(), "did you mean 'probe'? known: probe\n  searched:\n    " + folder.path().string() +
                              "/rewards\n    /no/such/folder/rewards\n  use --plugin-dir DIR to search DIR first, a "
                              "folder that contains rewards/NAME.so");
  EXPECT_EQ(error_of([&] { finder.find("reward", "probe"); }).what(),
            std::string("reward/probe: no kind of plugin 'reward'\n  help: did you mean 'rewards'? known: datasets, "
                        "models, rewards, reweighting, similarity, chat, stages"));
}

TEST(Finder, RefusesForASpecWhatThisProgramCannotLoad) {
  Folder folder;
  auto descriptor = probe_descriptor("{}", 1);
  const auto file = folder.write("rewards/probe.so", tiny_elf(descriptor));
  const Finder finder({folder.path()});
  const auto error = error_of([&] { finder.find("rewards", "probe"); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.what(), file.string() + ": was built for plugin interface 1, this program has interface " +
                              std::to_string(interface_number("rewards")) +
                              "\n  help: rebuild it with this installation's compeer::sdk and libtorch; "
                              "docs/plugins.md lists under Porting what has changed");
  EXPECT_EQ(finder.get("rewards", "probe").descriptor.interface, 1) << "it can be inspected all the same";
}

TEST(Finder, KeepsToItsFolders) {
  Folder folder;
  folder.write("rewards/probe.so", probe());
  folder.write("other/rewards/probe.so", probe());
  const Finder finder({folder.path() / "other"});
  for (const std::string name : {"../../rewards/probe", "../probe", "./probe", "/etc/passwd", "", "probe.so", ".."}) {
    EXPECT_EQ(error_of([&] { finder.find("rewards", name); }).problem(), "no such plugin") << name;
  }
}

TEST(Finder, TakesTheFirstFolderThatHasTheName) {
  Folder first, second;
  const auto used = first.write("rewards/probe.so", probe()), hidden = second.write("rewards/probe.so", probe());
  const Finder finder({first.path(), second.path()});
  EXPECT_EQ(finder.get("rewards", "probe").path, used);
  const auto all = finder.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].shadowed);
  EXPECT_EQ(all[1].path, hidden);
  EXPECT_TRUE(all[1].shadowed);
}

TEST(Finder, ListsBrokenFilesWithTheirCause) {
  Folder folder;
  folder.write("rewards/broken.so", "text");
  folder.write("rewards/notes.txt", "no plugin");
  fs::create_directories(folder.path() / "rewards/folder.so");
  fs::create_symlink("/no/such/file", folder.path() / "rewards/dangling.so");
  const Finder finder({folder.path()});
  EXPECT_EQ(finder.names("rewards"), (std::vector<std::string>{"broken", "dangling"}));
  const auto all = finder.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].problem, "is not a shared library (no ELF header)");
  EXPECT_EQ(all[1].problem, "does not exist");
  const auto error = error_of([&] { finder.find("rewards", "broken"); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), (folder.path() / "rewards/broken.so").string());
}

TEST(Finder, AsRootRefusesWhatEverybodyCanWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root is refused";
  Folder folder;
  const auto file = folder.write("rewards/probe.so", probe());
  ::chmod((folder.path() / "rewards").c_str(), 0777);
  const auto error = error_of([&] { Finder({folder.path()}).find("rewards", "probe"); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), file.string());
  EXPECT_EQ(error.problem(),
            "is not loaded as root: " + (folder.path() / "rewards").string() + " can be written by every user");
}

TEST(Distrust, IsForRootAlone) {
  Folder folder;
  const auto file = folder.write("probe.so", "");
  const uid_t owner = ::geteuid();
  EXPECT_EQ(distrust(file, 0, owner), "");
  const auto of_a_stranger = owner == 0 ? "" : "belongs to user " + std::to_string(owner);
  EXPECT_EQ(distrust(file, 0, owner + 1), of_a_stranger);
  ::chmod(file.c_str(), 0666);
  EXPECT_EQ(distrust(file, 0, owner), "can be written by every user");
  EXPECT_EQ(distrust(file, 1000, owner), "");
  ::chmod(file.c_str(), 0644);
  if (owner != 0 || ::chown(file.c_str(), 4321, 4321) != 0) return;  // only root can change a file's owner
  EXPECT_EQ(distrust(file, 0, owner), "belongs to user 4321");
}

TEST(SearchPath, StartsWithTheVariableAndEndsBesideTheProgram) {
  const Variable path("COMPEER_PLUGIN_PATH", "/one::/two/:/two"), data("XDG_DATA_HOME", "/data");
  const auto folders = search_path();
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  EXPECT_EQ(folders, (std::vector<fs::path>{"/one", "/two", "/data/compeer/plugins", prefix / "plugins",
                                            prefix / "lib/compeer/plugins"}));
}

TEST(SearchPath, FallsBackToTheHomeFolder) {
  const Variable path("COMPEER_PLUGIN_PATH", ""), data("XDG_DATA_HOME", ""), home("HOME", "/home/somebody");
  EXPECT_EQ(search_path().at(0), "/home/somebody/.local/share/compeer/plugins");
}

const std::string a(64, 'a'), b(64, 'b');

// Returns "where: problem|help|exit code" of the Error that `work` throws.
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
    EXPECT_TRUE(
        said.starts_with(file.string() + ":2: is not a line of a list of allowed plugins: " + line.substr(0, 3)))
        << said;
  }
}

TEST(AllowList, ThatIsMissingAllowsNothing) {
  EXPECT_EQ(refusal([] { AllowLists(std::vector<std::filesystem::path>{"/no/such/compeer.lock"}); }),
            "/no/such/compeer.lock: plugin allow list can't be read: No such file or directory|write a list of allowed "
            "plugins with compeer plugins lock --output FILE|5");
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
                                                     ": its SHA-256 is " + b + ", the allowed one has " + a);
}

TEST(AllowList, IsNamedByEachEntryOfTheVariable) {
  ::unsetenv("COMPEER_LOCKED");
  EXPECT_EQ(AllowLists::wanted(), std::vector<std::filesystem::path>());
  ::setenv("COMPEER_LOCKED", "a.lock:b/c.lock", 1);
  EXPECT_EQ(AllowLists::wanted(), (std::vector<std::filesystem::path>{"a.lock", "b/c.lock"}));
  for (const char* value : {"", ":", "a.lock:", ":a.lock", "a.lock::b.lock"}) {
    ::setenv("COMPEER_LOCKED", value, 1);
    EXPECT_EQ(refusal([] { AllowLists::wanted(); }),
              "COMPEER_LOCKED: has an empty entry instead of a list of allowed plugins"
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
