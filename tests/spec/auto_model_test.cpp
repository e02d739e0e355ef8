// plugin = "auto": a model folder that says what it is.
#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/files.h"
#include "fake_catalog.h"
#include "spec/spec.h"

namespace compeer::spec {
namespace {

Spec resolved(const std::string& text) { return resolve(parse_toml(text, "x.toml"), FakeCatalog()); }
std::string refused(const std::string& text) {
  return complaint([&] { resolved(text); });
}

class AutoModel : public testing::Test {
 protected:
  std::string asked(const std::string& config) {
    write_file(folder_.folder() / "config.json", config);
    return with_model("plugin = \"auto\"\npath = \"" + folder_.folder().string() + "\"");
  }
  static std::string with_model(const std::string& lines) { return smallest("[model]\n" + lines + "\n"); }
  const Scratch folder_;
};

TEST_F(AutoModel, IsThePluginThatItsConfigNames) {
  const auto spec = resolved(asked(R"({"model_type": "qwen2"})"));
  EXPECT_EQ(spec.values.at("model").at("plugin"), "qwen2");
  EXPECT_EQ(spec.plugins.front().name, "qwen2");
}

TEST_F(AutoModel, IsRefusedWhereNobodyKnowsIt) {
  const auto file = (folder_.folder() / "config.json").string();
  EXPECT_EQ(refused(asked(R"({"model_type": "qwen1"})")),
            "x.toml:10|'model.path': " + file +
                ": no plugin reads models of type 'qwen1'|did you mean 'qwen2'? known: qwen2|4");
  EXPECT_EQ(refused(with_model("plugin = \"auto\"")),
            "x.toml:9|'model.plugin' \"auto\" asks what 'model.path' holds, which isn't set|a fresh model's plugin is "
            "named: qwen2|3");
}

TEST_F(AutoModel, IsRefusedWhereThereIsNone) {
  const auto folder = folder_.folder();
  std::filesystem::create_directory(folder / "smollm2");
  const auto wrong = (folder / "smolm2").string();
  EXPECT_EQ(refused(with_model("plugin = \"auto\"\npath = \"" + wrong + "\"")),
            "x.toml:10|'model.path': " + wrong + ": there is no such folder|did you mean 'smollm2'? known: smollm2|4");
  const auto file = (folder / "m.gguf").string();
  write_file(file, "GGUF");
  EXPECT_EQ(refused(with_model("plugin = \"auto\"\npath = \"" + file + "\"")),
            "x.toml:10|'model.path': " + file + ": is a GGUF file, not a model folder|import it: compeer import " +
                file + " -o models/m|4");
}

}  // namespace
}  // namespace compeer::spec
