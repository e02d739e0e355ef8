// The plugin's own promises. Numbers of transformers: tests/tools/verify/vl_test.cpp.
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "../../record/temporary_folder.h"
#include "qwen2_5_vl.h"
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
  // Two rows of three units between texts, the first token at 10.
  std::vector<int32_t> tokens{7};
  const Picture picture = grey(1, 4, 6);
  for (const int32_t t : placeholders_of(picture)) tokens.push_back(t);
  tokens.push_back(8), tokens.push_back(9);
  const auto vision = vision_model().look(tokens, 10, {picture});
  EXPECT_EQ(axis(*vision, 0), (std::vector<int64_t>{10, 11, 11, 11, 11, 11, 11, 14, 15}));
  EXPECT_EQ(axis(*vision, 1), (std::vector<int64_t>{10, 11, 11, 11, 12, 12, 12, 14, 15}));
  EXPECT_EQ(axis(*vision, 2), (std::vector<int64_t>{10, 11, 12, 13, 11, 12, 13, 14, 15}));
  EXPECT_EQ(vision->next, 16);
  EXPECT_EQ(vision->features.sizes(), (at::IntArrayRef{6, 64}));
}

TEST_F(Qwen25Vl, CountsTheTimeOfAVideo) {
  Picture video = grey(3, 2, 2);
  video.seconds = 1.25;  // two tokens a second: steps of 2.5, cut off
  const auto vision = vision_model().look(placeholders_of(video, video_token), 0, {video});
  EXPECT_EQ(axis(*vision, 0), (std::vector<int64_t>{0, 2, 5}));
  EXPECT_EQ(axis(*vision, 1), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(vision->next, 1);
}

TEST_F(Qwen25Vl, PlaceholdersMustBeThoseOfThePictures) {
  EXPECT_EQ(complaint({1, image_token, 2}, {grey(1, 4, 4)}),
            "1 placeholders among the tokens, but 1 pictures need 4 of them");
  EXPECT_EQ(complaint({image_token, image_token, 2, image_token, image_token}, {grey(1, 4, 4)}),
            "picture 1 has 4 tokens, but not as many placeholders stand together");
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
            "picture 2 is a still picture, but stands under placeholders of a video");
  EXPECT_EQ(complaint({video_token, 7, image_token}, {video, video}),
            "picture 2 is a video, but stands under placeholders of a still picture");
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
  EXPECT_EQ(complaint_of({{"model_type", "qwen2"}}), "model_type is \"qwen2\"; this plugin reads \"qwen2_5_vl\"");
  EXPECT_EQ(complaint_of({{"vision_config", nullptr}}), "needs the table 'vision_config'");
  EXPECT_EQ(complaint_of({{"vision_config", {{"out_hidden_size", 32}}}}),
            "out_hidden_size of vision_config must be the hidden_size of the text model");
  EXPECT_EQ(complaint_of({{"vision_config", {{"num_heads", 3}}}}),
            "vision_config: a head must be a whole multiple of 4: hidden_size / num_heads is no such number");
}

}  // namespace
}  // namespace compeer
