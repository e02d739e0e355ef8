#include "train/update/optimizer.h"

#include <fstream>
#include <numeric>
#include <sstream>

#include "../../comm/ranks.h"
#include "base/error.h"

namespace compeer::train {
namespace {

namespace fs = std::filesystem;

constexpr int64_t length = 5000, piece = 2000;

// A temporary folder known to all ranks.
class SlicesTest : public testing::Test {
 protected:
  SlicesTest() {
    std::string name = (fs::temp_directory_path() / ("slices-" + std::to_string(::getpid()))).string();
    world().broadcast(name);
    folder = name;
    if (world().rank() == 0) fs::create_directories(folder / "sharded"), fs::create_directories(folder / "whole");
    world().barrier();
  }
  ~SlicesTest() override {
    world().barrier();
    if (world().rank() == 0) fs::remove_all(folder);
  }

  static std::vector<float> numbers(float from) {
    std::vector<float> all(length);
    std::iota(all.begin(), all.end(), from);
    return all;
  }
  static std::vector<float> own_part(const ShardLayout& slices, std::vector<float> all) {
    const auto own = slices.own_part(std::span(all));
    return {own.begin(), own.end()};
  }
  static std::string bytes(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder;
  const ShardLayout sharded{world(), length, true}, whole{world(), length, false};
};

TEST_F(SlicesTest, CoverEverythingOnce) {
  std::vector<float> seen(length, 0.0f);
  for (float& x : sharded.own_part(std::span(seen))) x = static_cast<float>(world().rank()) + 1;
  sharded.all_gather(seen);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0f), 0);
  EXPECT_EQ(seen.front(), 1.0f);
  EXPECT_EQ(seen.back(), static_cast<float>(world().size()));
  EXPECT_EQ(whole.own().count, length);
}

TEST_F(SlicesTest, AreSavedAsIfOneRankHadThemAll) {
  auto m = own_part(sharded, numbers(0)), v = own_part(sharded, numbers(0.5f));
  sharded.save(folder / "sharded", "state", {{"m", m}, {"v", v}}, {{"updates", "7"}}, piece);
  m = numbers(0), v = numbers(0.5f);
  whole.save(folder / "whole", "state", {{"m", m}, {"v", v}}, {{"updates", "7"}}, piece);
  world().barrier();
  for (const char* file : {"state.safetensors", "state-1.safetensors", "state-2.safetensors"}) {
    EXPECT_FALSE(bytes(folder / "whole" / file).empty()) << file;
    EXPECT_EQ(bytes(folder / "sharded" / file), bytes(folder / "whole" / file)) << file;
  }
}

TEST_F(SlicesTest, AreReadByAnyDivisionOfTheSameLength) {
  auto m = numbers(0);
  whole.save(folder / "whole", "state", {{"m", m}}, {{"updates", "7"}}, piece);
  world().barrier();
  auto own = own_part(sharded, std::vector<float>(length));
  EXPECT_EQ(sharded.load(folder / "whole", "state", {{"m", own}}).at("updates"), "7");
  EXPECT_EQ(own, own_part(sharded, numbers(0)));

  const ShardLayout longer(world(), length + 1, false);
  std::vector<float> room(length + 1);
  try {
    longer.load(folder / "whole", "state", {{"m", room}});
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains 5000 values for a model of 5001 parameters");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer::train
