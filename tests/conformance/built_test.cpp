// Every plugin of this build passes `compeer plugins check`, with its defaults or with the settings of the table below.
#include <unistd.h>

#include "../tiny_model.h"
#include "checked.h"
#include "places.h"
#include "plugin/search.h"

namespace compeer::conformance {
namespace {

using nlohmann::json;

const std::string golden = COMPEER_SOURCE_DIR "/tests/golden";

class BuiltPlugins : public Checked {
 protected:
  BuiltPlugins() {
    write("curious.lua", "return function(completion) return select(2, completion.text:gsub('?', '')) end\n");
    write("answers.jsonl", "{\"contains\": \"\", \"answer\": \"yes\"}\n");
    write("records.jsonl", "{\"id\": \"a\", \"player\": \"she\"}\n{\"id\": \"b\", \"player\": \"he\"}\n");
    write("esconv.json", R"([{"emotion_type": "anger", "dialog": [
      {"speaker": "seeker", "content": "hi", "annotation": {}},
      {"speaker": "supporter", "content": "hello", "annotation": {"strategy": "Question"}}]}])");
    make_tiny_model(folder() / "tiny", 512);
  }

  std::string said_of(const std::string& title) const {
    static const std::map<std::string, std::string> table{
        {"chat/local", "--set path=tiny"},
        {"chat/scripted", "--set table=answers.jsonl"},
        {"datasets/esconv", "--set path=esconv.json"},
        {"datasets/profiles", "--set path=records.jsonl"},
        {"models/qwen2", "--set path=" + golden + "/text_tied"},
        {"models/qwen2_5_vl", "--set path=" + golden + "/vl"},
        {"rewards/esc_world_truth", "--dataset esc_world"},
        {"rewards/lua", "--set path=curious.lua"},
        {"rewards/overlong", "--set max_tokens=400 --set cache=100"},
        {"similarity/sentence_encoder", "--set path=" + golden + "/bert"},
        {"stages/annotate",
         "--set annotator=esc_world --set second_annotator=esc_world --set third_annotator=esc_world"},
        {"stages/answer", "--set supporter=esc_world"},
        {"stages/filter", "--set chat=esc_world --dataset esc_world --set dataset.unit=dialogue"},
        {"stages/generate", "--set writer=esc_world"},
        {"stages/persona", "--set chat=esc_world"},
        {"stages/rewrite", "--set chat=esc_world"},
    };
    const auto found = table.find(title);
    return found == table.end() ? "" : found->second;
  }
};

TEST_F(BuiltPlugins, PassTheirChecks) {
  size_t made = 0;
  for (const auto& found : plugin::Finder({fs::path(COMPEER_BINARY_DIR) / "plugins"}).all()) {
    const auto title = found.kind + "/" + found.name;
    const auto report = checked(found.path.string() + " " + said_of(title));
    EXPECT_EQ(failing(report), "") << title;
    const bool checked_inside = all(report, "holds").find("making: can be created") != std::string::npos;
    EXPECT_EQ(report.at("exit"), checked_inside ? 0 : 4) << title;
    EXPECT_TRUE(checked_inside || said_of(title).empty()) << title << ": " << all(report, "not checked");
    made += checked_inside;
  }
  EXPECT_GE(made, 29u);
}

}  // namespace
}  // namespace compeer::conformance
