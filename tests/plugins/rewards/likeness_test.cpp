#include "built.h"

namespace compeer {

namespace {

const std::string step_limit = "<history>a</history><emotion>b</emotion><strategy>c</strategy>\n";

TEST(Likeness, ComparesRepliesWithTheReferenceAndWithEachOther) {
  auto plugin = built::open<Reward>("likeness");
  Example example;
  example.answer = "<history>x</history><emotion>y</emotion><strategy>z</strategy>\ntell me more";
  const auto all = built::completions({step_limit + "tell me more", "tell me more", step_limit + "never mind"});
  const auto rows = built::values(plugin::score(plugin, {example, all}, plugin::columns(plugin)));
  const std::vector<double> wanted{1, .5, 1, .5, 0, 0};
  ASSERT_EQ(rows.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(rows[i], wanted[i], 1e-6) << i;
}

TEST(Likeness, OfASingleReplyToOthersIsNone) {
  auto plugin = built::open<Reward>("likeness");
  Example example;
  example.answer = "yes";
  EXPECT_EQ(built::values(plugin::score(plugin, {example, built::completions({"no"})}, plugin::columns(plugin))),
            (std::vector<double>{0, 0}));
}

TEST(Likeness, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("likeness");
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
