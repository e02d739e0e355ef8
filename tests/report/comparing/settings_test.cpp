#include "report/comparing/settings.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Flattened, NamesEveryValueByItsPath) {
  const auto flat = flattened({{"grpo", {{"lr", 2e-4}}},
                               {"rewards", {{{"plugin", "length"}}}},
                               {"ids", {1, 2}},
                               {"empty", nlohmann::json::object()}});
  EXPECT_EQ(flat.at("grpo.lr"), "0.0002");
  EXPECT_EQ(flat.at("rewards[0].plugin"), "\"length\"");
  EXPECT_EQ(flat.at("ids"), "[1,2]");
  EXPECT_EQ(flat.at("empty"), "{}");
}

TEST(Changed, ListsOnlyWhatDiffers) {
  auto a = sample::run("a", "grpo", "", "none"), b = sample::run("b", "grpo", "", "redundancy");
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"reweighting.alpha", "reweighting.beta", "reweighting.mode",
                                                         "reweighting.plugin"}));
  EXPECT_TRUE(changed({&a, &a}).empty());
}

TEST(Changed, NamesAnInputOnceButNoticesAChangedFile) {
  auto a = sample::run("a", "grpo", "models/a"), b = sample::run("b", "grpo", "models/b");
  a.spec["inputs"] = {{"model.path", "1111"}};
  b.spec["inputs"] = {{"model.path", "2222"}};
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"model.path"}));
  b.spec["model"]["path"] = "models/a";
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"inputs.\"model.path\""}));
}

}  // namespace
}  // namespace compeer::report
