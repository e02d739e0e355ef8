// Merging an adapter into its base, compared with peft: tests/golden/lora.
#include "record/adapter.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "places.h"
#include "record/safetensors.h"

namespace compeer::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path lora = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/lora";

float element(const TensorView& view, size_t index) {
  float value = 0;
  std::memcpy(&value, view.bytes.data() + index * sizeof(float), sizeof(float));
  return value;
}

TEST(Merge, AddsTheChangesThatPeftAdds) {
  const auto golden = read_json_object(lora / "golden.json");
  for (const auto& [name, values] : golden.at("cases").items()) {
    const Scratch folder;
    const auto out = folder.folder() / "merged";
    merge_adapter(lora / "base", lora / values.at("folder").get<std::string>(), out);
    const auto merged = Safetensors::open_sharded(out), base = Safetensors::open_sharded(lora / "base");
    const json& changed = values.at("merged").at("parameters");
    int unchanged = 0;
    for (const auto& tensor : merged.names()) {
      if (!changed.contains(tensor)) {
        EXPECT_TRUE(std::ranges::equal(merged.tensor(tensor).bytes, base.tensor(tensor).bytes)) << tensor;
        ++unchanged;
        continue;
      }
      const json& reference = changed.at(tensor);
      for (size_t i = 0; i < reference.at("at").size(); ++i)
        EXPECT_NEAR(element(merged.tensor(tensor), reference.at("at")[i]), reference.at("values")[i].get<float>(), 1e-6)
            << tensor;
    }
    EXPECT_EQ(merged.names().size(), base.names().size());
    EXPECT_EQ(unchanged, values.at("merged").at("unchanged")) << name;
    EXPECT_TRUE(fs::exists(out / "config.json"));
    EXPECT_FALSE(fs::exists(out / "adapter_config.json"));
  }
}

TEST(Merge, KeepsTheFormOfTheAdapterAndNotThatOfTheBase) {
  const Scratch folder;
  const auto base = folder.folder() / "base", adapter = folder.folder() / "adapter";
  const auto golden = read_json_object(lora / "golden.json").at("cases");
  fs::copy(lora / "base", base);
  fs::copy(lora / golden.front().at("folder").get<std::string>(), adapter);
  write_file(base / "form.json", "{}");
  merge_adapter(base, adapter, folder.folder() / "plain");
  EXPECT_FALSE(fs::exists(folder.folder() / "plain/form.json"));
  write_file(adapter / "form.json", R"({"judge": {}})");
  merge_adapter(base, adapter, folder.folder() / "judge");
  EXPECT_EQ(read_file(folder.folder() / "judge/form.json"), R"({"judge": {}})");
}

std::string complaint(const fs::path& base, const fs::path& adapter, const fs::path& out) {
  try {
    merge_adapter(base, adapter, out);
  } catch (const Error& error) {
    return error.where() + ": " + error.problem();
  }
  return "done";
}

TEST(Merge, RefusesWhatDoesNotFitAndLeavesNothing) {
  const Scratch folder;
  const auto out = folder.folder() / "merged", other = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/qwen3";
  EXPECT_EQ(complaint(other, lora / "adapter_all", out),
            (lora / "adapter_all").string() +
                ": base_model.model.model.layers.0.mlp.down_proj.lora_A.weight does not fit "
                "model.layers.0.mlp.down_proj.weight of " +
                other.string());
  EXPECT_TRUE(fs::is_empty(folder.folder()));
  fs::create_directories(out);
  EXPECT_EQ(complaint(lora / "base", lora / "adapter_all", out), out.string() + ": already exists");
}

}  // namespace
}  // namespace compeer::record
