/// CPsyCoun: counselling reconstructed from reports by models, Chinese. CPsyCounD is a folder of plain texts with one
/// dialogue each; CPsyCounE has JSON lists of lines, in a folder for each topic.
#include <algorithm>
#include <array>

#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

constexpr std::array<std::pair<std::string_view, Role>, 4> speakers = {
    {{"来访者", Role::seeker}, {"心理咨询师", Role::supporter}, {"求助者", Role::seeker}, {"支持者", Role::supporter}}};

// Other people in the room. (A word before a colon may also not be a speaker: "1. 倾听：" begins a piece of advice.)
constexpr std::array<std::string_view, 12> others = {"妈妈：", "爸爸：", "母亲：", "父亲：", "丈夫：", "妻子：",
                                                     "儿子：", "女儿：", "孩子：", "老师：", "朋友：", "同学："};

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

// Also skips the full-width spaces that begin Chinese paragraphs.
void skip_space(std::string_view& line) {
  while (take(line, " ") || take(line, "\t") || take(line, "\u3000") || take(line, "\u00A0")) continue;
}

// Removes "（扮演排挤者）" from the front and returns the text in brackets; null if there is none.
json bracketed(std::string_view& line) {
  const size_t end = line.find("）");
  if (end == line.npos || !take(line, "（")) return nullptr;
  const std::string inside(line.substr(0, end - std::string_view("（").size()));
  line.remove_prefix(inside.size() + std::string_view("）").size());
  return inside;
}

// Parses a line that begins with a speaker: "来访者：...", "心理咨询师（扮演妈妈）：...". The label alone is a turn
// without text.
std::optional<Utterance> labelled(std::string_view line) {
  for (const auto& [name, role] : speakers) {
    std::string_view rest = line;
    if (!take(rest, name)) continue;
    const json as = bracketed(rest);
    skip_space(rest);
    if (!rest.empty() && !take(rest, "：") && !take(rest, ":")) continue;
    return Utterance{role, trimmed(rest), {{"as", as}, {"aside", nullptr}}};
  }
  return {};
}

// True for text by neither of the two: stage directions, other people.
bool is_aside(std::string_view line) {
  return (line.starts_with("（") && line.ends_with("）")) || (line.starts_with("(") && line.ends_with(")")) ||
         std::any_of(others.begin(), others.end(), [&](auto other) { return line.starts_with(other); });
}

void add(Dialogue& dialogue, const std::string& line) {
  if (auto begun = labelled(line)) {
    dialogue.utterances.push_back(std::move(*begun));
  } else if (dialogue.utterances.empty()) {
    json& preface = dialogue.labels["preface"];
    preface = preface.is_null() ? line : preface.get<std::string>() + "\n" + line;
  } else if (is_aside(line)) {
    dialogue.utterances.back().labels["aside"].push_back(line);
  } else {
    std::string& text = dialogue.utterances.back().text;
    text += (text.empty() ? "" : "\n") + line;
  }
}

std::vector<std::string> lines(const std::string& bytes) {
  std::vector<std::string> all;
  for (size_t at = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < bytes.size();) {
    const size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    std::string_view line(bytes.data() + at, end - at);
    skip_space(line);
    if (auto text = trimmed(line); !text.empty()) all.push_back(std::move(text));
    at = end + 1;
  }
  return all;
}

Dialogue dialogue_of(const CorpusFile& source, const std::string& bytes) {
  const bool is_list = source.file.extension() == ".json";
  Dialogue dialogue;
  dialogue.labels = {{"preface", nullptr}, {"topic", nullptr}};
  if (is_list) {
    const json strings = parse(bytes, 0);
    if (!strings.is_array()) throw Refusal("is not a JSON list");
    each(strings, "line", [&](const json& line, size_t) {
      if (!line.is_string() || !labelled(line.get_ref<const std::string&>()))
        throw Refusal("does not begin with 求助者： or 支持者：");
      add(dialogue, line.get_ref<const std::string&>());
    });
    dialogue.labels["topic"] = source.file.parent_path().filename().string();
  } else {
    check_text(bytes, 0);
    for (const std::string& line : lines(bytes)) add(dialogue, line);
  }
  std::erase_if(dialogue.utterances, [](const Utterance& one) { return one.text.empty(); });
  if (dialogue.utterances.empty()) throw Refusal("contains no line that begins with 来访者： or 心理咨询师：");
  return dialogue;
}

const CorpusLayout cpsycoun_layout = {"cpsycoun", "zh", {".json", ".txt"}, whole_files(dialogue_of)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, cpsycoun, CorpusOf<cpsycoun_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "CPsyCoun: counselling rebuilt from reports, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
