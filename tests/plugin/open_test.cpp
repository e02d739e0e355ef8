#include "plugin/open.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "actors.h"
#include "base/files.h"
#include "base/hash.h"
#include "compeer/plugin.h"
#include "compeer/similarity.h"
#include "folder.h"
#include "plugin/calls.h"
#include "plugin/host.h"
#include "plugin/library.h"

namespace compeer::plugin {
namespace {

// Returns the error of opening this library as a reward; checks that it is attributed to the plugin and names the file.
Error refusal(const PluginFile& chosen) {
  const auto shared = services();
  const auto error = error_of([&] { open<Reward>(chosen, Settings(), std::make_unique<RunHost>(chosen, shared)); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), chosen.path.string());
  return error;
}

// The first test, because the library must not have been loaded before.
TEST(AReadingOfADescriptor, RunsNoneOfTheLibrarysCode) {
  const auto chosen = library("actor", "rewards", "actor");
  ASSERT_EQ(std::getenv("COMPEER_TEST_ACTOR_LOADED"), nullptr);
  EXPECT_EQ(read_descriptor(chosen.path).version, "2.3.4");
  EXPECT_EQ(Finder({broken / "actor"}).all().size(), 1u);
  PluginFile other = chosen;
  other.sha256 = std::string(64, '0');
  EXPECT_THROW(Library(other, "rewards"), Error);
  EXPECT_EQ(std::getenv("COMPEER_TEST_ACTOR_LOADED"), nullptr);
  Library library(chosen, "rewards");
  EXPECT_STREQ(std::getenv("COMPEER_TEST_ACTOR_LOADED"), "1");
}

TEST(Open, MakesAnObjectThatCanBeCalled) {
  const auto shared = services();
  auto plugin = actor("well", shared);
  EXPECT_EQ(plugin.identity().title(), "rewards/actor 2.3.4");
  EXPECT_EQ(columns(plugin), (std::vector<std::string>{"style", "quality"}));
  auto moved = std::move(plugin);
  EXPECT_EQ(columns(moved).size(), 2u);
}

TEST(Open, KeepsTheLibraryInMemoryForGood) {
  const auto chosen = library("mirror", "similarity", "mirror");
  ASSERT_EQ(::dlopen(chosen.path.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
  { const Library opened(chosen, "similarity"); }
  EXPECT_NE(::dlopen(chosen.path.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Open, LeavesArithmeticAsItWas) {
  volatile double smallest = std::numeric_limits<double>::denorm_min();
  const Library opened(library("fast", "rewards", "plain"), "rewards");
  EXPECT_GT(smallest * 1.0, 0.0);
}

TEST(Open, LoadsACopyThatNobodyCanChangeWhereOnlySomeMayRun) {
  const auto chosen = library("wild", "similarity", "mirror");
  const auto bytes = read_file(chosen.path);
  Folder folder;
  const auto list = folder.write("compeer.lock", sha256(bytes) + "  similarity/mirror  1\n");
  ::setenv("COMPEER_LOCKED", list.c_str(), 1);
  { const Library opened(chosen, "similarity"); }
  folder.write("compeer.lock", "");
  EXPECT_NE(error_of([&] { Library(chosen, "similarity"); }).problem().find("not in the list of allowed plugins"),
            std::string::npos);
  ::unsetenv("COMPEER_LOCKED");
  EXPECT_EQ(::dlopen(chosen.path.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << "not the file, which may be exchanged";
  const auto copy = sealed_copy("mirror.so", bytes, sha256(bytes));
  EXPECT_NE(::dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_THROW(write_file(copy, "other bytes"), Error);
  EXPECT_EQ(::truncate(copy.c_str(), 0), -1);
  EXPECT_EQ(read_file(copy), bytes);
}

TEST(Open, RefusesThePreviousInterface) {
  EXPECT_EQ(refusal(library("interface", "rewards", "plain")).problem(),
            "plugin rewards/plain was built for plugin interface " + std::to_string(COMPEER_INTERFACE_rewards - 1) +
                ", this program has interface " + std::to_string(COMPEER_INTERFACE_rewards));
}

TEST(Open, RefusesAPluginForALaterHost) {
  const auto error = refusal(library("later_host", "rewards", "plain"));
  const auto ours = std::to_string(COMPEER_INTERFACE_host);
  EXPECT_EQ(error.problem(),
            "plugin rewards/plain requires host interface 1000, this program has host interface " + ours);
  EXPECT_EQ(
      error.help(),
      "run it with the newer Compeer that it was built with, or rebuild it with this installation's compeer::sdk and "
      "libtorch");
}

TEST(Open, TakesAPluginForAnEarlierHost) {
  EXPECT_EQ(Library(library("earlier_host", "rewards", "plain"), "rewards").descriptor().host, 0);
}

TEST(Open, TakesAPluginBuiltWithoutLibtorchAndWithoutAConstructor) {
  const auto shared = services();
  const auto chosen = library("plain", "rewards", "plain");
  auto plugin = open<Reward>(chosen, Settings(), std::make_unique<RunHost>(chosen, shared));
  EXPECT_EQ(plugin.descriptor().torch, "");
  score_one(plugin);
}

TEST(Open, RefusesAnotherLibtorch) {
  EXPECT_EQ(refusal(library("torch", "rewards", "plain")).problem(),
            "plugin rewards/plain was built for libtorch 1.13.1, this program uses libtorch " COMPEER_TORCH_VERSION);
}

TEST(Open, RefusesAnotherStandardLibrary) {
  Folder folder;
  auto bytes = read_file(library("missing", "rewards", "plain").path);
  const std::string abi = "\"cxx_abi\":1";
  bytes.replace(bytes.find(abi), abi.size(), "\"cxx_abi\":0");
  EXPECT_EQ(refusal({"rewards", "plain", folder.write("rewards/plain.so", bytes), ""}).problem(),
            "plugin rewards/plain was built with _GLIBCXX_USE_CXX11_ABI=0, this program with 1");
}

TEST(Open, RefusesAFileThatIsNotTheOneChosen) {
  auto chosen = library("actor", "rewards", "actor");
  chosen.sha256 = std::string(64, 'a');
  const auto problem = refusal(chosen).problem();
  EXPECT_TRUE(problem.starts_with("plugin rewards/actor is not the file this run was made with: its SHA-256 is "))
      << problem;
  EXPECT_TRUE(problem.ends_with("..., the spec says aaaaaaaaaaaaaaaa...")) << problem;
}

TEST(Open, RefusesAPluginOfAnotherKind) {
  EXPECT_EQ(refusal(library("mirror", "similarity", "mirror")).problem(),
            "plugin similarity/mirror is not of the kind rewards");
}

TEST(Open, NamesAMissingFunctionWhenLoading) {
  const auto problem = refusal(library("missing", "rewards", "plain")).problem();
  EXPECT_TRUE(problem.starts_with("plugin rewards/plain can't be loaded: undefined symbol: ")) << problem;
  EXPECT_NE(problem.find("not_to_be_found_anywhere"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("file descriptor"), std::string::npos) << problem;
}

TEST(Open, RefusesALibraryWithoutAFactory) {
  EXPECT_EQ(refusal(library("no_factory", "rewards", "empty")).problem(), "plugin rewards/empty exports no factory");
}

TEST(Open, DoesNotBlameALibraryForAFailingDisk) {
  Folder folder;
  const PluginFile chosen{"rewards", "plain", folder.path() / "plain.so", ""};
  std::filesystem::create_symlink("/proc/self/mem", chosen.path);
  const auto error = error_of([&] { Library(chosen, "rewards"); });
  EXPECT_EQ(error.exit(), Exit::failure);
  EXPECT_EQ(error.problem(), "plugin rewards/plain can't be read: Input/output error");
}

TEST(Open, RefusesFilesThatAreMissingTextOrCutOff) {
  Folder folder;
  const auto path = folder.path() / "rewards" / "plain.so";
  const PluginFile chosen{"rewards", "plain", path, ""};
  EXPECT_EQ(refusal(chosen).problem(), "plugin rewards/plain can't be read: No such file or directory");
  folder.write("rewards/plain.so", "#!/bin/sh\n");
  EXPECT_EQ(refusal(chosen).problem(), "is not a shared library (no ELF header)");
  const auto whole = read_file(library("torch", "rewards", "plain").path);
  for (const size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{4096}, whole.size() / 2, whole.size() - 1}) {
    folder.write("rewards/plain.so", whole.substr(0, size));
    const auto problem = refusal(chosen).problem();
    EXPECT_TRUE(problem.starts_with("is cut off or damaged") || problem.starts_with("is not a shared library"))
        << size << ": " << problem;
  }
}

TEST(Open, SaysWhatItsFactoryThrew) {
  const auto shared = services();
  const auto error = error_of([&] { actor("throw in make", shared); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(std::string(error.what()), in("make") + ": no, I will not be made");
  EXPECT_EQ(error_of([&] { actor("ask for a setting", shared); }).problem(),
            "setting 'speed' is not in the plugin's descriptor");
  EXPECT_EQ(error_of([&] { actor("ask for a number", shared); }).problem(),
            "setting 'act' is \"ask for a number\", but the plugin reads it as a number");
}

// Returns the Error that the guard makes of an exception in the actor's score().
Error thrown(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  const auto error = error_of([&] { score_one(plugin); });
  EXPECT_EQ(error.where(), in("score"));
  EXPECT_NE(dynamic_cast<const Error*>(&error), nullptr);
  return error;
}

TEST(Guard, TellsPluginMethodAndCauseOfWhateverIsThrown) {
  EXPECT_EQ(thrown("throw std").problem(), "no such word: 'lenght'");
  EXPECT_EQ(thrown("throw c10").problem(), "sizes 3 and 4 differ");
  EXPECT_EQ(thrown("throw private").problem(), "a private matter");
  EXPECT_EQ(thrown("throw int").problem(), "threw a value of type int");
  EXPECT_EQ(thrown("throw stranger").problem(), "threw a value of type (anonymous namespace)::Stranger");
  EXPECT_EQ(thrown("throw without a message").problem(), "threw (anonymous namespace)::Private without a message");
  EXPECT_EQ(thrown("throw int").exit(), Exit::plugin);
}

TEST(Guard, KeepsTheExitCodeOfAnErrorMadeForPeople) {
  const auto error = thrown("throw error");
  EXPECT_EQ(error.problem(), "data/x.jsonl:3: is no JSON");
  EXPECT_EQ(error.help(), "mend the line");
  EXPECT_EQ(error.exit(), Exit::data);
}

TEST(Guard, NamesThePluginForTheRecord) {
  const auto shared = services();
  try {
    actor("throw in make", shared);
    FAIL();
  } catch (const PluginError& failure) {
    EXPECT_EQ(failure.plugin(), "rewards/actor 2.3.4");
  }
}

TEST(Guard, NamesPluginAndMethodThatLeaveAProcessRunningOnce) {
  const Orphans orphans;
  const auto shared = services();
  auto plugin = actor("leave a process", shared);
  testing::internal::CaptureStderr();
  score_one(plugin);
  score_one(plugin);
  const auto left = orphans.living();
  ASSERT_EQ(left.size(), 2u);
  const auto told = testing::internal::GetCapturedStderr();
  const auto said = [&](pid_t one) {
    return "compeer: warning: " + in("score") + ": left " + process_title(one) +
           " running; wait for a process before the call ends\n";
  };
  EXPECT_TRUE(told == said(left[0]) || told == said(left[1])) << told;
}

class GuardOfCopies : public testing::TestWithParam<const char*> {};

TEST_P(GuardOfCopies, EndsACopyOfTheProcessThatACallForked) {
  const auto shared = services();
  auto plugin = actor(GetParam(), shared);
  testing::internal::CaptureStderr();
  const auto before = ::getpid();
  score_one(plugin);
  EXPECT_EQ(::getpid(), before);
  int status = 0;
  EXPECT_GT(::wait(&status), 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                in("score") + ": forked, and returned in the child process, too, which was ended\n"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Ends, GuardOfCopies, testing::Values("return twice", "return, and throw in a copy"));

TEST(RunHost, DrawsRandomNumbersFromSeedAndPluginAlone) {
  const auto one = services();
  auto other = services();
  other.seed = 2;
  RunHost length({"rewards", "length", "/a/length.so", ""}, one), again({"rewards", "length", "/b/length.so", ""}, one);
  RunHost prm({"rewards", "prm", "/a/prm.so", ""}, one), seed({"rewards", "length", "/a/length.so", ""}, other);
  const double drawn = length.random(1, 2, 3);
  EXPECT_GE(drawn, 0.0);
  EXPECT_LT(drawn, 1.0);
  length.random(9, 9, 9);
  EXPECT_EQ(length.random(1, 2, 3), drawn) << "not a sequence";
  EXPECT_EQ(again.random(1, 2, 3), drawn) << "wherever the library lies";
  EXPECT_NE(length.random(1, 2, 4), drawn);
  EXPECT_NE(prm.random(1, 2, 3), drawn);
  EXPECT_NE(seed.random(1, 2, 3), drawn);
}

TEST(RunHost, PassesOnLogFolderAndCancellation) {
  std::string logged;
  bool stop = false;
  auto shared = services();
  shared.log = [&](const std::string& plugin, const std::string& text) { logged = plugin + ": " + text; };
  shared.cancelled = [&] { return stop; };
  RunHost host({"rewards", "length", "/a/rewards/length.so", ""}, shared);
  host.log("hello");
  EXPECT_EQ(logged, "rewards/length: hello");
  EXPECT_EQ(host.folder(), "/a/rewards");
  EXPECT_FALSE(host.cancelled());
  stop = true;
  EXPECT_TRUE(host.cancelled());
}

TEST(RunHost, OpensASimilarityOnceForItsSettings) {
  std::string made;
  auto shared = services();
  shared.log = [&](const std::string& plugin, const std::string& text) { made += plugin + ": " + text + "\n"; };
  RunHost host(library("actor", "rewards", "actor"), shared);
  EXPECT_EQ(made, "") << "not before it is asked for";
  const Settings plain(nlohmann::json{{"plugin", "mirror"}}),
      half(nlohmann::json{{"plugin", "mirror"}, {"value", 0.5}});
  auto& mirror = host.similarity(plain);
  EXPECT_EQ(&host.similarity(plain), &mirror);
  EXPECT_EQ(mirror.compare({"a"}, {"b", "c"})[0][1], 0.25);
  EXPECT_EQ(host.similarity(half).compare({"a"}, {"b"})[0][0], 0.5);
  EXPECT_EQ(made, "similarity/mirror: made with 0.250000\nsimilarity/mirror: made with 0.500000\n");
}

TEST(RunHost, HasEmbeddingsWhereThereIsAPolicy) {
  auto shared = services();
  RunHost host(library("actor", "rewards", "actor"), shared);
  const auto error = error_of([&] { host.embed({"a"}); });
  EXPECT_EQ(error.where(), "rewards/actor");
  EXPECT_EQ(error.problem(), "requests embeddings by the policy, but there is none");
  shared.embed = [](const std::vector<std::string>& texts) { return std::vector(texts.size(), std::vector{0.5f}); };
  EXPECT_EQ(host.embed({"a", "b"}), std::vector(2, std::vector{0.5f}));
}

TEST(RunHost, LetsAPluginUseASimilarity) {
  const auto shared = services();
  auto plugin = actor("compare", shared);
  const Example example;
  const std::vector<Completion> one(1);
  EXPECT_EQ(score(plugin, {example, one}, {"style", "quality"}).at("style")[0], 0.25);
}

TEST(RunHost, BlamesTheSimilarityNotWhoAskedForIt) {
  const auto shared = services("wild");
  auto plugin = actor("compare", shared);
  const Example example;
  const std::vector<Completion> one(1);
  const auto error = error_of([&] { score(plugin, {example, one}, {"style", "quality"}); });
  EXPECT_TRUE(error.where().starts_with("similarity/mirror 1.0.0 (")) << error.where();
  EXPECT_TRUE(error.where().ends_with("), in compare()")) << error.where();
}

TEST(RunHost, SaysWhyASimilarityCantBeHad) {
  const auto problem = [](const std::string& set) {
    const auto shared = services(set);
    return std::string(error_of([&] { actor("ask for a similarity", shared); }).what());
  };
  EXPECT_NE(problem("needy").find("plugin similarity/mirror needs the setting 'value'"), std::string::npos);
  EXPECT_NE(problem("circle").find("similarity/mirror: is requested during its own creation"), std::string::npos);
  const auto missing = problem("actor");
  EXPECT_TRUE(missing.starts_with(in("make") + ": similarity/mirror: no such plugin")) << missing;
}

}  // namespace
}  // namespace compeer::plugin
