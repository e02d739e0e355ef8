// Features around a model on another device: images, judges, a base shared by several models, saved files.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "device/emulated_device.h"
#include "device/models.h"
#include "inference/language_model.h"
#include "language/pictures.h"
#include "record/temporary_folder.h"
#include "tiny_model.h"
#include "tools/verify/device.h"
#include "train/update/parameters.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using record::TemporaryFolder;

class OnADevice : public OnTheCpuWithoutItsOwnAttention {
 protected:
  OnADevice() { emulated::device(); }
};

const json there{{"device", "emulated"}};

json with(json settings, const json& more) {
  settings.update(more);
  return settings;
}

TEST_F(OnADevice, PicturesAreSeenAsOnTheCpu) {
  const fs::path golden = COMPEER_SOURCE_DIR "/tests/golden/vl";
  const std::vector<Picture> pictures{
      language::read_picture({golden / "images/image0.png"}, language::PictureSettings::load(golden))};
  const auto placeholders = static_cast<size_t>(pictures[0].time * pictures[0].height * pictures[0].width / 4);
  std::vector<int32_t> tokens{501};
  tokens.insert(tokens.end(), placeholders, 503);
  tokens.push_back(502);
  const auto seen = [&](const json& more) {
    const auto model = open_model("vl", "qwen2_5_vl", more);
    auto& object = model->object();
    const auto vision = dynamic_cast<VisionModel&>(object).encode(tokens, 0, pictures);
    EXPECT_TRUE(vision->features.is_cpu());
    Batch batch;
    batch.tokens = at::tensor(std::vector<int64_t>(tokens.begin(), tokens.end()), at::kLong);
    batch.segments = {{0, batch.tokens.size(0), 0, -1, {}}};
    batch.segments[0].vision = vision;
    return std::pair(vision->features, object.forward(batch, nullptr).detach());
  };
  for (const json& more : {json::object(), json{{"frozen", false}, {"precision", "float32"}, {"merger", true}}}) {
    const auto expected = seen(more), got = seen(with(more, there));
    EXPECT_LT((got.first - expected.first).abs().max().item<float>(), 1e-4);
    EXPECT_LT((got.second - expected.second).abs().max().item<float>(), 1e-3);
  }
}

TEST_F(OnADevice, AJudgeAnswersAsOnTheCpu) {
  const TemporaryFolder folder;
  make_tiny_model(folder / "judge", 160);
  const auto heard = [&](const std::string& device) {
    plugin::Services services;
    services.device = device;
    services.find = [](const std::string& kind, const std::string& name) {
      return plugin::PluginFile{kind, name, COMPEER_BINARY_DIR "/plugins/" + kind + "/" + name + ".so", ""};
    };
    const auto judge = inference::open_language_model(folder / "judge", services);
    const auto conversation = judge->begin({{"user", "i feel lonely."}, {"assistant", "that sounds hard."}});
    std::string all = judge->answer({conversation.get()}, {"is it good?"}, {0.0, 8, 0})[0].text;
    const auto scores = judge->score({conversation.get()}, {"yes"});
    for (const float score : scores[0]) all += " " + std::to_string(std::lround(1000 * score));
    return all;
  };
  const auto expected = heard("cpu");
  EXPECT_EQ(heard("emulated"), expected);
  EXPECT_GT(expected.size(), 4u);
}

TEST_F(OnADevice, ABaseIsThereOnce) {
  const int64_t before = emulated::in_use();
  const auto first = open_model("llama", "llama", there);
  const int64_t once = emulated::in_use() - before;
  const auto second = open_model("llama", "llama", there);
  EXPECT_GT(once, 0);
  EXPECT_EQ(emulated::in_use() - before, once);
  EXPECT_TRUE(first->object().head().is_same(second->object().head()));
}

// The master weights on the host are saved, although the device uses their rounded values.
TEST_F(OnADevice, MastersAreSaved) {
  const json trains{{"frozen", false}, {"precision", "float32"}, {"compute", "bfloat16"}};
  const auto model = open_model("llama", "llama", with(trains, there));
  const auto value = model->object().parameters().at(0).value;
  EXPECT_EQ(value.scalar_type(), at::kBFloat16);
  train::Parameters parameters(model->object());
  for (float& weight : parameters.weights()) weight += 1e-5f;
  parameters.weights_changed();
  const TemporaryFolder folder;
  const auto saved = folder / "saved";
  fs::create_directories(saved);
  model->object().save(saved.string());
  const auto copy = open_model("llama", "llama", with(trains, json{{"path", saved.string()}, {"engine", "exact"}}));
  int64_t at = 0;
  for (const Parameter& p : copy->object().parameters()) {
    const auto expected = at::from_blob(parameters.weights().data() + at, p.value.sizes(), at::kFloat);
    EXPECT_TRUE(at::equal(p.value.detach(), expected)) << p.name;
    at += p.value.numel();
  }
  EXPECT_EQ(at, parameters.size());
  const auto first = copy->object().parameters().at(0).value.detach().to(at::kBFloat16);
  EXPECT_TRUE(at::equal(model->object().parameters().at(0).value.detach().cpu(), first));
}

// The gradient of a bfloat16 parameter is float32, and is the same when accumulated over two passes.
TEST_F(OnADevice, GradientsOfSeveralPassesComeBackOnce) {
  const json trains{{"frozen", false}, {"precision", "float32"}, {"compute", "bfloat16"}};
  const auto model = open_model("llama", "llama", with(trains, there));
  train::Parameters parameters(model->object());
  std::vector<float> once(static_cast<size_t>(parameters.size()), NAN), twice = once;
  const auto pass = [&] {
    model->object()
        .forward({at::tensor({3, 1, 4, 1, 5}, at::kLong), {Segment{0, 5, 0, -1, {}}}}, nullptr)
        .sum()
        .backward();
  };
  parameters.collect(once, {}, pass);
  emulated::forget();
  parameters.collect(twice, {.add = false, .partial = true}, pass);
  EXPECT_TRUE(std::isnan(twice[0]));
  parameters.collect(twice, {.add = true, .partial = false}, pass);
  double norm = 0;
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_FLOAT_EQ(twice[i], 2 * once[i]) << i;
    norm += std::abs(static_cast<double>(once[i]));
  }
  EXPECT_GT(norm, 0);
}

TEST_F(OnADevice, MemoryThatRunsOutOnTheWayBackIsSaidAndTheNextPassIsWhole) {
  const auto model = open_model("llama", "llama", with({{"frozen", false}, {"precision", "float32"}}, there));
  train::Parameters parameters(model->object());
  std::vector<float> expected(static_cast<size_t>(parameters.size())), got = expected;
  const auto forward = [&] {
    return model->object().forward({at::tensor({3, 1, 4}, at::kLong), {Segment{0, 3, 0, -1, {}}}}, nullptr).sum();
  };
  parameters.collect(expected, {}, [loss = forward()] { loss.backward(); });
  int64_t failed = 0;
  for (int64_t which = 1;; which += 5) {
    const auto loss = forward();
    emulated::fail_allocation(which);
    try {
      parameters.collect(got, {}, [&] { loss.backward(); });
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "backward pass");
      EXPECT_NE(error.problem().find("out of memory"), std::string::npos) << error.problem();
      EXPECT_NE(error.help().find("model.recompute_above = 0"), std::string::npos);
      EXPECT_EQ(error.exit(), Exit::failure);
      ++failed;
    }
    parameters.collect(got, {}, [again = forward()] { again.backward(); });
    EXPECT_EQ(got, expected) << which;
  }
  emulated::fail_allocation(0);
  EXPECT_GT(failed, 5);
}

}  // namespace
}  // namespace compeer

namespace compeer::verify {
namespace {

// The checks of `compeer doctor --device cuda`, on the emulated device.

TEST(TheCheckOfADevice, PassesOnTheEmulatedOne) {
  emulated::device();
  const auto checks = check_device("emulated", {"qwen2"});
  EXPECT_EQ(checks.size(), 4u * 8u);
  for (const Check& one : checks) EXPECT_TRUE(one.passed) << one.name << " " << one.error << " > " << one.tolerance;
}

TEST(TheCheckOfADevice, SaysInJsonThatThereIsNone) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  testing::internal::CaptureStdout();
  EXPECT_THROW(verify_device({{"json", true}}), Error);
  const auto said = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(said.at("passed"), false);
  EXPECT_TRUE(said.at("problem").get<std::string>().starts_with("is 'cuda', but ")) << said;
  EXPECT_NE(said.at("remedy"), "");
}

}  // namespace
}  // namespace compeer::verify
