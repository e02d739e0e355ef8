#include <ATen/ops/tensor.h>
#include <compeer/model.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

using nlohmann::json;

class MyPluginTest : public testing::Test {
 protected:
  static std::unique_ptr<compeer::Model> opened(const json& settings, compeer::Host& host) {
    return compeer::open_library<compeer::Model>(PLUGIN_FILE, settings, host);
  }
  std::unique_ptr<compeer::Model> fresh() { return opened({{"config", {{"vocab_size", 5}, {"width", 3}}}}, host); }

  // Returns the hidden states of two segments, tokens 1 2 3 and 2.
  static at::Tensor states(compeer::Model& model, bool last_only) {
    compeer::Segment first, second;
    first.length = second.start = 3;
    second.length = 1;
    compeer::Batch batch{.tokens = at::tensor(std::vector<int64_t>{1, 2, 3, 2}), .segments = {first, second}};
    batch.last_only = last_only;
    return model.forward(batch, nullptr).detach();
  }

  compeer::TestHost host;
};

TEST_F(MyPluginTest, SeesTheLastTokenOnly) {
  const auto model = fresh();
  const at::Tensor all = states(*model, false);
  EXPECT_EQ(all.sizes(), (std::vector<int64_t>{4, 3}));
  EXPECT_TRUE(all[1].equal(all[3]));
  EXPECT_FALSE(all[0].equal(all[1]));
}

TEST_F(MyPluginTest, GivesTheLastRowOfEachSegmentIfAsked) {
  const auto model = fresh();
  const at::Tensor all = states(*model, false), last = states(*model, true);
  EXPECT_EQ(last.size(0), 2);
  EXPECT_TRUE(last[0].equal(all[2]));
  EXPECT_TRUE(last[1].equal(all[3]));
}

TEST_F(MyPluginTest, IsTheSameAfterItWasSaved) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "my_plugin";
  std::filesystem::create_directories(folder);
  const auto model = fresh();
  model->save(folder.string());
  const auto again = opened({{"path", folder.string()}}, host);
  EXPECT_TRUE(states(*again, false).equal(states(*model, false)));
  EXPECT_TRUE(again->head().detach().equal(model->head().detach()));
  std::filesystem::remove_all(folder);
}

}  // namespace
