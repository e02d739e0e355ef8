// The plugins that the pages plugins/<kind>/README.md offer to copy are built as they stand there.
#include "built.h"
#include "compeer/chat.h"
#include "compeer/dataset.h"

namespace compeer {

namespace {

const plugin::Finder& copied() {
  static const plugin::Finder one({std::filesystem::path(COMPEER_README_DIR)});
  return one;
}

template <class T>
plugin::Plugin<T> open(const std::string& name) {
  const auto found = copied().get(T::kind, name);
  const plugin::Chosen chosen{found.kind, found.name, found.path, found.sha256};
  return plugin::open<T>(chosen, Settings(plugin::defaults(found.descriptor.parameters)),
                         std::make_unique<plugin::RunHost>(chosen, built::services()));
}

TEST(ReadmeOfChat, HoldsAWorkingPlugin) {
  auto plugin = open<Chat>("my_chat");
  std::string said;
  plugin::answer(plugin, {{.turns = {{"user", "sad"}}}}, [&](size_t, const ChatReply& reply) { said = reply.text; });
  EXPECT_EQ(said, "What do you mean by \"sad\"?");
}

TEST(ReadmeOfDatasets, HoldsAWorkingPlugin) {
  auto plugin = open<Dataset>("my_data");
  EXPECT_EQ(plugin.call("size", [](Dataset& d) { return d.size("train"); }), 100);
  EXPECT_EQ(plugin.call("get", [](Dataset& d) { return d.get("train", 37); }).answer, "10");
}

TEST(ReadmeOfRewards, HoldsAWorkingPlugin) {
  auto plugin = open<Reward>("my_reward");
  built::keeps_contract(plugin);
  const auto all = built::completions({"How are you?", "Fine.", "Why? Who? When?"});
  EXPECT_EQ(built::values(plugin::score(plugin, {Example(), all}, plugin::parts(plugin))),
            (std::vector<double>{0.5, 0.0, 1.0}));
}

TEST(ReadmeOfReweighting, HoldsAWorkingPlugin) {
  auto plugin = open<Reweighting>("my_weights");
  built::keeps_contract(plugin);
}

TEST(ReadmeOfSimilarity, HoldsAWorkingPlugin) {
  auto plugin = open<Similarity>("my_likeness");
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
