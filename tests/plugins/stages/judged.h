#pragma once
#include <filesystem>
#include <fstream>

#include "../built.h"
#include "../judging/language_model.h"

/// Fixture for stages that use judges, with answers given by the test.
namespace compeer::judged {

using built::findings;
using nlohmann::json;

/// Returns a record with a completion and human labels: whether each of its three steps is right, and the preference.
inline json record(const std::string& id, std::vector<bool> steps, const std::string& preference) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "i am sad"}}}},
          {"reference", "tell me more"},
          {"candidates", {{{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}, {"reply", "why?"}}}},
          {"steps", {steps}},
          {"preference", preference}};
}

/// A judge's answers (judging::Scripted): all steps are right, and the reply is worse than the reference.
inline std::string right_but_worse(const std::string&, const std::string& question, uint32_t) {
  return question.starts_with("<") ? "True" : "first";
}

/// Fixture with two judges and their model folders. A stage uses the judge `one` unless its setting `model` names the
/// folder "other".
class Test : public testing::Test {
 protected:
  Test() : services(built::services()) {
    for (const char* name : {"one", "other"}) {
      std::filesystem::create_directories(folder / name);
      std::ofstream(folder / name / "model.safetensors") << name;
    }
    services.language_model = [this](const std::string& path) -> judging::Scripted& {
      return path.ends_with("other") ? other : one;
    };
  }

  plugin::Plugin<Stage> open(const std::string& stage, json settings) {
    if (!settings.contains("model")) settings["model"] = (folder / "one").string();
    const auto found = built::finder().get("stages", stage);
    return built::open<Stage>(stage, settings,
                              std::make_unique<plugin::RunHost>(
                                  plugin::PluginFile{found.kind, found.name, found.path, found.sha256}, services));
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->test_suite_name()) + "_judges");
  judging::Scripted one{right_but_worse}, other{right_but_worse};
  plugin::Services services;
};

}  // namespace compeer::judged
