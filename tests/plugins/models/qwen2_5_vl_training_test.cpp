// What of it learns: all of it, with the merger of its tower, or an adapter of its text model.
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <map>

#include "../../record/temporary_folder.h"
#include "qwen2_5_vl.h"
#include "record/adapter.h"
#include "record/safetensors.h"

namespace compeer {
namespace {

using record::TemporaryFolder;

// A text about all pictures, and what a model makes of it.
class WithMerger : public Qwen25Vl {
 protected:
  WithMerger() {
    for (const Picture& picture : seen) {
      const auto own = placeholders_of(picture);
      tokens.push_back(5);
      tokens.insert(tokens.end(), own.begin(), own.end());
    }
    tokens.push_back(9);
  }
  Batch batch(Model& some) const {
    const auto length = static_cast<int64_t>(tokens.size());
    return {at::tensor(std::vector<int64_t>(tokens.begin(), tokens.end())),
            {{0, length, 0, -1, {}, 0, dynamic_cast<VisionModel&>(some).look(tokens, 0, seen)}}};
  }
  at::Tensor said(Model& some) const { return some.forward(batch(some), nullptr); }
  static std::map<std::string, at::Tensor> merger_of(Model& some) {
    std::map<std::string, at::Tensor> all;
    for (const Parameter& p : some.parameters()) {
      if (p.name.starts_with("visual.")) all[p.name] = p.value;
    }
    return all;
  }
  static Opened trainable(json more = {}) {
    json settings = {{"merger", true}};
    if (more.is_object()) settings.update(more);
    return open_model(golden_folder, "qwen2_5_vl", false, settings);
  }

  const std::vector<Picture> seen = pictures();
  std::vector<int32_t> tokens;
};

TEST_F(WithMerger, ItsWeightsAreParametersAndTheRestOfTheTowerIsNone) {
  std::vector<std::string> names;
  for (const auto& [name, value] : merger_of(trainable()->object())) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"visual.merger.ln_q.weight", "visual.merger.mlp.0.bias",
                                             "visual.merger.mlp.0.weight", "visual.merger.mlp.2.bias",
                                             "visual.merger.mlp.2.weight"}));
  EXPECT_TRUE(merger_of(open_model(golden_folder, "qwen2_5_vl", true, {{"merger", true}})->object()).empty());
}

TEST_F(WithMerger, TheModelSaysTheSameBitsAsWithAFrozenOne) {
  const auto trained = trainable();
  const at::Tensor with_graph = said(trained->object());
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(said(trained->object()), said(model())));
  EXPECT_TRUE(at::equal(with_graph, said(model())));
}

// The gradients that its weights get in training are those of the whole tower, which transformers agrees with.
TEST_F(WithMerger, HasTheGradientsOfTheWholeTower) {
  const auto trained = trainable();
  const auto weights = at::arange(static_cast<int64_t>(tokens.size() * 64), at::kFloat).cos().view({-1, 64});
  (said(trained->object()) * weights).sum().backward();

  auto frozen = batch(model());
  auto vision = std::make_shared<VisionFeatures>(*frozen.segments[0].vision);
  const auto traces = vision_model().look_closely(seen);
  vision->features = traces.at("kept");
  frozen.segments[0].vision = vision;
  (model().forward(frozen, nullptr) * weights).sum().backward();
  for (const auto& [name, value] : merger_of(trained->object())) {
    EXPECT_TRUE(at::allclose(value.grad(), traces.at(name).grad(), 1e-4, 1e-5)) << name;
    EXPECT_GT(value.grad().abs().max().item<double>(), 1e-3) << name;
  }
}

TEST_F(WithMerger, ItsGradientsAreTheSameOnAnyNumberOfThreads) {
  const auto gradients = [&](int threads) {
    at::set_num_threads(threads);
    const auto trained = trainable();
    said(trained->object()).cos().sum().backward();
    std::vector<at::Tensor> all;
    for (const auto& [name, value] : merger_of(trained->object())) all.push_back(value.grad().flatten());
    return at::cat(all);
  };
  const int before = at::get_num_threads();
  EXPECT_TRUE(at::equal(gradients(1), gradients(2)));
  at::set_num_threads(before);
}

TEST_F(WithMerger, WhatItLearnsIsSeenAndSaved) {
  for (const std::string precision : {"float32", "bfloat16"}) {
    const auto trained = trainable({{"precision", precision}});
    {
      const at::NoGradGuard no_grad;
      const auto before = said(trained->object());
      for (auto& [name, value] : merger_of(trained->object())) value.mul_(1.5);
      trained->object().parameters_changed();
      EXPECT_FALSE(at::equal(said(trained->object()), before));
    }
    TemporaryFolder folder;
    trained->object().save(folder.path().string());
    const at::NoGradGuard no_grad;
    const auto again = open_model(folder.path(), "qwen2_5_vl", true);
    if (precision == "float32") {
      EXPECT_TRUE(at::equal(said(again->object()), said(trained->object())));
    }
    EXPECT_EQ(record::Safetensors::open_sharded(folder.path()).tensor("visual.merger.mlp.0.weight").dtype,
              precision == "float32" ? "F32" : "BF16");
    EXPECT_EQ(record::Safetensors::open_sharded(folder.path()).tensor("visual.blocks.0.attn.qkv.weight").dtype, "F32");
  }
}

TEST_F(WithMerger, InBfloat16ItHasNumbersThatBfloat16Holds) {
  for (const auto& [name, value] : merger_of(trainable({{"precision", "bfloat16"}})->object()))
    EXPECT_TRUE(at::equal(value.detach(), value.detach().to(at::kBFloat16).to(at::kFloat))) << name;
}

class WithAdapter : public WithMerger {
 protected:
  static Opened adapted(const json& more = json::object()) {
    json settings{{"adapter", {{"path", nullptr}, {"rank", 2}, {"alpha", 4.0}, {"rslora", false}, {"targets", {"*"}}}}};
    settings.update(more);
    return open_model(golden_folder, "qwen2_5_vl", false, settings);
  }
  // B becomes other than zero.
  static void teach(Model& model) {
    const at::NoGradGuard no_grad;
    for (const Parameter& p : model.parameters())
      p.value.add_(at::arange(p.value.numel()).cos().view_as(p.value), 0.02);
    model.parameters_changed();
  }
};

TEST_F(WithAdapter, BeginsAsItsBaseAndOnlyTheTextModelLearns) {
  const auto opened = adapted();
  const auto all = opened->object().parameters();
  EXPECT_EQ(all.front().name, "base_model.model.model.language_model.layers.0.self_attn.q_proj.lora_A.weight");
  EXPECT_EQ(all.size(), 2u * 2 * 7) << "two layers of seven projections";
  said(opened->object()).cos().sum().backward();
  for (const auto& p : all) EXPECT_EQ(p.value.grad().abs().max().item<double>() > 0, p.name.ends_with("lora_B.weight"));
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(said(opened->object()), said(model())));
}

TEST_F(WithAdapter, IsSavedAsPeftNamesItAndOpenedBitForBit) {
  const auto opened = adapted();
  teach(opened->object());
  TemporaryFolder folder;
  opened->object().save(folder.path().string());
  const json config = read_json(folder.path() / "adapter_config.json");
  EXPECT_EQ(config.at("target_modules").size(), 14u) << "a tower has projections of the same ends";
  EXPECT_EQ(config.at("target_modules")[0], "model.language_model.layers.0.self_attn.q_proj");
  const at::NoGradGuard no_grad;
  const auto expected = said(opened->object());
  EXPECT_FALSE(at::equal(expected, said(model())));
  EXPECT_TRUE(at::equal(said(open_model(folder.path(), "qwen2_5_vl", true)->object()), expected));
  EXPECT_TRUE(at::equal(said(adapted({{"adapter", {{"path", folder.path().string()}}}})->object()), expected));
  TemporaryFolder whole;
  fs::remove(whole.path());
  record::merge_adapter(golden_folder, folder.path(), whole.path());
  EXPECT_TRUE(at::allclose(said(open_model(whole.path(), "qwen2_5_vl", true)->object()), expected, 1e-4, 1e-5));
}

TEST_F(WithAdapter, AMergerThatTrainsIsAnotherThing) {
  try {
    adapted({{"merger", true}});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + ": " + error.problem(),
              "models/qwen2_5_vl 1.1.0 (" COMPEER_BINARY_DIR
              "/plugins/models/qwen2_5_vl.so), in make(): "
              "model.merger: trains where all weights do; an adapter changes the text model alone");
  }
}

}  // namespace
}  // namespace compeer
