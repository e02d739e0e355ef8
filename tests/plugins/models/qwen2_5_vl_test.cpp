// Tests of the plugin itself. It is compared with transformers in tests/tools/verify/pretrained_test.cpp.
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

TEST_F(Qwen25Vl, SeesAPictureAloneAsAmongOthersOnAnyNumberOfThreads) {
  const auto all = pictures();
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor together = features(model(), all);
  at::set_num_threads(2);
  std::vector<at::Tensor> alone;
  for (const Picture& picture : all) alone.push_back(features(model(), {picture}));
  EXPECT_TRUE(at::equal(at::cat(alone), together));
  EXPECT_TRUE(at::equal(features(model(), all), together));
  at::set_num_threads(before);
}

TEST_F(Qwen25Vl, CountsPositionsAlongThreeAxes) {
  // Two rows of three merged patches between texts, the first token at position 10.
  std::vector<int32_t> tokens{7};
  const Picture picture = grey(1, 4, 6);
  for (const int32_t t : placeholders_of(picture)) tokens.push_back(t);
  tokens.push_back(8), tokens.push_back(9);
  const auto vision = vision_model().encode(tokens, 10, {picture});
  EXPECT_EQ(axis(*vision, 0), (std::vector<int64_t>{10, 11, 11, 11, 11, 11, 11, 14, 15}));
  EXPECT_EQ(axis(*vision, 1), (std::vector<int64_t>{10, 11, 11, 11, 12, 12, 12, 14, 15}));
  EXPECT_EQ(axis(*vision, 2), (std::vector<int64_t>{10, 11, 12, 13, 11, 12, 13, 14, 15}));
  EXPECT_EQ(vision->next, 16);
  EXPECT_EQ(vision->features.sizes(), (at::IntArrayRef{6, 64}));
}

TEST_F(Qwen25Vl, CountsTheTimeOfAVideo) {
  Picture video = grey(3, 2, 2);
  video.seconds = 1.25;  // two positions per second: steps of 2.5, rounded down
  const auto vision = vision_model().encode(placeholders_of(video, video_token), 0, {video});
  EXPECT_EQ(axis(*vision, 0), (std::vector<int64_t>{0, 2, 5}));
  EXPECT_EQ(axis(*vision, 1), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(vision->next, 1);
}

TEST_F(Qwen25Vl, PlaceholdersMustBeThoseOfThePictures) {
  EXPECT_EQ(complaint({1, image_token, 2}, {grey(1, 4, 4)}),
            "the tokens contain 1 placeholders, but 1 pictures require 4");
  EXPECT_EQ(complaint({image_token, image_token, 2, image_token, image_token}, {grey(1, 4, 4)}),
            "picture 1 has 4 tokens, but fewer consecutive placeholders");
  EXPECT_EQ(complaint({image_token}, {grey(1, 3, 2)}),
            "a picture of 1 x 3 x 2 patches can't be merged in squares of 2");
  Picture thin = grey(1, 2, 2);
  thin.patches.resize(10);
  EXPECT_EQ(complaint({image_token}, {thin}), "a picture of 4 patches has 10 numbers; the model takes 1176 for each");
}

TEST_F(Qwen25Vl, StillPicturesAndVideosHavePlaceholdersOfTheirOwn) {
  const Picture still = grey(1, 2, 2);
  Picture video = still;
  video.seconds = 1.0;
  EXPECT_EQ(complaint({7, image_token, video_token}, {still, still}),
            "picture 2 is a still picture, but has placeholders of a video");
  EXPECT_EQ(complaint({video_token, 7, image_token}, {video, video}),
            "picture 2 is a video, but has placeholders of a still picture");
  EXPECT_EQ(complaint({video_token, 7, image_token}, {video, still}), "nothing");
}

TEST_F(Qwen25Vl, TheTowerIsNoParameter) {
  for (const Parameter& p : model().parameters()) EXPECT_FALSE(p.name.starts_with("visual.")) << p.name;
  EXPECT_FALSE(features(model(), pictures()).requires_grad());
}

TEST_F(Qwen25Vl, ReadsTextAsQwen2Does) {
  TemporaryFolder folder;
  json config = read_json(golden_folder / "config.json");
  config["model_type"] = "qwen2";
  for (const char* key : {"vision_config", "rope_scaling"}) config.erase(key);
  std::ofstream(folder / "config.json") << config.dump();
  std::vector<record::TensorView> views;
  for (const Parameter& p : model().parameters())
    views.push_back({p.name,
                     "F32",
                     p.value.sizes().vec(),
                     {static_cast<const std::byte*>(p.value.const_data_ptr()), p.value.nbytes()}});
  record::write_safetensors(folder / "model.safetensors", views);
  const auto text = open_model(folder.path(), "qwen2");
  const Batch batch{at::tensor(std::vector<int64_t>{5, 17, 400, 3, 3, 9}), {{0, 6, 0, -1, {}}}};
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(model().forward(batch, nullptr), text->object().forward(batch, nullptr)));
}

TEST_F(Qwen25Vl, InBfloat16SeesTheSameWithBothEngines) {
  const auto seen = [](const char* engine) {
    const auto model = open_model(golden_folder, "qwen2_5_vl", true, {{"precision", "bfloat16"}, {"engine", engine}});
    return features(model->object(), {pictures()[0]});
  };
  const auto expected = seen("exact");
  EXPECT_LT((seen("libtorch") - expected).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
}

TEST_F(Qwen25Vl, WhatIsSavedIsTheSameModel) {
  for (const bool frozen : {false, true}) {
    TemporaryFolder folder;
    open_model(golden_folder, "qwen2_5_vl", frozen)->object().save(folder.path().string());
    const auto before = record::Safetensors::open_sharded(golden_folder),
               after = record::Safetensors::open_sharded(folder.path());
    ASSERT_EQ(before.names(), after.names());
    for (const auto& name : before.names())
      EXPECT_TRUE(std::ranges::equal(before.tensor(name).bytes, after.tensor(name).bytes)) << name;
    EXPECT_EQ(read_json(folder / "config.json"), read_json(golden_folder / "config.json"));
  }
}

TEST_F(Qwen25Vl, ReadsTheNamesAndLayoutOfNewerFilesAndSavesThePublishedOnes) {
  TemporaryFolder newer, saved;
  const auto file = record::Safetensors::open_sharded(golden_folder);
  std::vector<record::TensorView> views;
  for (const auto& name : file.names()) {
    views.push_back(file.tensor(name));
    views.back().name = name.starts_with("visual.") ? "model." + name : "model.language_model." + name.substr(6);
  }
  record::write_safetensors(newer / "model.safetensors", views);
  fs::copy_file(golden_folder / "config.nested.json", newer / "config.json");
  auto other = open_model(newer.path());
  EXPECT_TRUE(at::equal(features(other->object(), pictures()), features(model(), pictures())));
  other->object().save(saved.path().string());
  EXPECT_EQ(record::Safetensors::open_sharded(saved.path()).names(), file.names());
  const json config = read_json(saved / "config.json"), published = read_json(golden_folder / "config.json");
  for (const char* key :
       {"hidden_size", "rope_scaling", "vision_config", "image_token_id", "tie_word_embeddings", "eos_token_id"})
    EXPECT_EQ(config.at(key), published.at(key)) << key;
}

TEST_F(Qwen25Vl, MisfitsOfEachKindAreNamedAtOnce) {
  TemporaryFolder folder;
  json config = read_json(golden_folder / "config.json");
  config["vision_config"]["depth"] = 4;
  config["intermediate_size"] = 100;
  std::ofstream(folder / "config.json") << config.dump();
  fs::copy_file(golden_folder / "model.safetensors", folder / "model.safetensors");
  try {
    open_model(folder.path());
    FAIL() << "was accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("missing visual.blocks.3."), std::string::npos) << text;
    EXPECT_NE(text.find("is [128, 64], should be [100, 64], and "), std::string::npos) << text;
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST_F(Qwen25Vl, AConfigThatDoesNotFitIsNamed) {
  const auto complaint_of = [](const json& changes) -> std::string {
    TemporaryFolder folder;
    json config = read_json(golden_folder / "config.json");
    config.merge_patch(changes);
    std::ofstream(folder / "config.json") << config.dump();
    try {
      open_model(folder.path());
    } catch (const Error& error) {
      const std::string problem = error.problem();
      return problem.substr(problem.find("config.json: ") + 13);
    }
    return "nothing";
  };
  EXPECT_EQ(complaint_of({{"model_type", "qwen2"}}),
            "model_type is \"qwen2\", but this plugin supports only \"qwen2_5_vl\"");
  EXPECT_EQ(complaint_of({{"vision_config", nullptr}}), "has no table 'vision_config'");
  EXPECT_EQ(complaint_of({{"vision_config", {{"out_hidden_size", 32}}}}),
            "out_hidden_size of vision_config must be the hidden_size of the text model");
  EXPECT_EQ(complaint_of({{"vision_config", {{"num_heads", 3}}}}),
            "vision_config: hidden_size / num_heads must be a multiple of 4");
}

// Trainable parts: everything, with the merger of the vision tower, or an adapter of the text model.

// A text with all images, and the model's output for it.
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
            {{0, length, 0, -1, {}, 0, dynamic_cast<VisionModel&>(some).encode(tokens, 0, seen)}}};
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

// The gradients of the merger in training are those computed through the whole tower, which are verified against
// transformers.
TEST_F(WithMerger, HasTheGradientsOfTheWholeTower) {
  const auto trained = trainable();
  const auto weights = at::arange(static_cast<int64_t>(tokens.size() * 64), at::kFloat).cos().view({-1, 64});
  (said(trained->object()) * weights).sum().backward();

  auto frozen = batch(model());
  auto vision = std::make_shared<VisionFeatures>(*frozen.segments[0].vision);
  const auto traces = vision_model().intermediate_results(seen);
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
  // Changes all weights, so that B is not zero any more.
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
              "model.merger: can't be trained with an adapter, which changes only the text model");
  }
}

}  // namespace
}  // namespace compeer
