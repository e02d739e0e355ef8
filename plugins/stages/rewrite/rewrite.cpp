/// rewrite: a chat model rewrites a dialogue in other words, as if the seeker were the person of "persona_as", or with
/// no person in mind. Rewrites history, reference and candidates' replies together; labels are kept, because the
/// meaning is. The new record has the id "<id>/rewritten" and "rewritten", the id of the original.
#include <algorithm>

#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

/// Returns the texts of a record to be rewritten, in order, with their speakers.
std::vector<Turn> said_in(const json& record) {
  auto turns = stages::spoken(stages::turns_of(record));
  for (const json& candidate : record.value("candidates", json::array())) {
    turns.push_back({"assistant", candidate.at("reply")});
  }
  return turns;
}

/// Returns the number of texts before the first reply; reference and candidates' replies are alternatives to each
/// other.
size_t first_reply(const json& record, const std::vector<Turn>& said) {
  const bool referenced = !record.contains("turns") && record.contains("reference");
  return said.size() - record.value("candidates", json::array()).size() - (referenced ? 1 : 0);
}

/// Returns numbered lines. A sentence before the second and each later reply marks it as an alternative.
std::string with_alternatives(const std::vector<std::string>& lines, size_t first_reply, const json& record) {
  const size_t together = std::min(lines.size(), first_reply + 1);
  std::string text = stages::numbered({lines.begin(), lines.begin() + static_cast<ptrdiff_t>(together)});
  for (size_t i = together; i < lines.size(); ++i) {
    const std::string line = std::to_string(together);
    text += stages::chinese(record) ? "\n代替第 " + line + " 行的另一种回复：\n"
                                    : "\nAnother reply in place of line " + line + ":\n";
    text += stages::numbered({lines[i]}, i + 1);
  }
  return text;
}

std::string take(const std::vector<std::string>& texts, size_t& next) { return texts.at(next++); }

json with_texts(json record, const std::vector<std::string>& texts) {
  size_t next = 0;
  for (json& turn : record.contains("turns") ? record["turns"] : record["history"]) {
    if (turn.at("role") != "system") turn["text"] = take(texts, next);
  }
  if (!record.contains("turns") && record.contains("reference")) record["reference"] = take(texts, next);
  if (!record.contains("candidates")) return record;
  for (json& candidate : record["candidates"]) candidate["reply"] = take(texts, next);
  return record;
}

class Rewrite : public Stage {
 public:
  Rewrite(const Settings& settings, Host& host)
      : chat_(host.chat(settings.table("chat"))),
        asking_(settings, "chat"),
        as_(settings.flag("as_persona")),
        keep_(settings.flag("keep")),
        prompts_(settings, host, "chat", as_ ? "rewrite_as" : "rewrite",
                 as_ ? std::vector<std::string>{"persona", "lines"} : std::vector<std::string>{"lines"}) {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<std::vector<std::string>> written(records.size());
    std::vector<std::string> why(records.size()), said(records.size());
    std::vector<stages::ChatQuestion> questions;
    std::vector<size_t> asked;
    for (size_t i = 0; i < records.size(); ++i) {
      if (as_ && !records[i].contains("persona_as")) {
        why[i] = "no other persona";
        continue;
      }
      const auto turns = said_in(records[i]);
      asked.push_back(i);
      questions.push_back({prompt(records[i], turns), [&, i, count = turns.size()](const std::string& answer) {
                             auto read = empathy::read_lines(answer, count);
                             if (read) written[i] = std::move(*read.value);
                             return read.refusal;
                           }});
    }
    const auto malformed = stages::ask(chat_, questions, asking_);
    for (size_t q = 0; q < asked.size(); ++q)
      why[asked[q]] = questions[q].refusal, said[asked[q]] = questions[q].answer;
    const auto model = chat_.model();
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < records.size(); ++i) {
      outcomes.push_back(outcome(records[i], written[i], why[i], model));
      if (!why[i].empty() && !keep_) outcomes.back().answer = said[i];
    }
    stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  std::string cache_key() const override { return prompts_.hashes(); }

 private:
  Outcome outcome(const json& record, const std::vector<std::string>& texts, const std::string& why,
                  const std::string& model) const {
    Outcome made;
    if (keep_) made.records.push_back(record);
    if (!why.empty()) {
      made.counts["not rewritten: " + why] = 1;
      if (!keep_) made.dropped = why;
      return made;
    }
    json rewritten = stages::copy_of(with_texts(record, texts), "rewritten");
    rewritten["rewritten"] = record.at("id");
    stages::note_provenance(rewritten, "rewritten", model, prompts_.of(record));
    made.records.push_back(std::move(rewritten));
    return made;
  }

  static std::string described(const json& persona) {
    empathy::Disc disc;
    for (size_t i = 0; i < disc.traits.size(); ++i) disc.traits[i] = persona.at(std::string(disc.names[i]));
    disc.manner = persona.at("manner");
    return empathy::print(disc);
  }

  std::string prompt(const json& record, const std::vector<Turn>& said) const {
    std::vector<std::string> lines;
    for (const Turn& turn : said) lines.push_back(stages::shown({turn}, record));
    std::map<std::string, std::string> slots = {{"lines", with_alternatives(lines, first_reply(record, said), record)}};
    if (as_) slots["persona"] = described(record.at("persona_as"));
    return prompts_.fill(record, std::move(slots));
  }

  Chat& chat_;
  stages::Asking asking_;
  bool as_, keep_;
  stages::StagePrompt prompts_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, rewrite, Rewrite, R"json(
  "version": "1.0.0",
  "summary": "A chat model rewrites each dialogue in other words, as if another person had spoken.",
  "parameters": {
    "chat": {"type": "plugin", "kind": "chat", "help": "chat model that rewrites"},
    "as_persona": {"type": "boolean", "default": true,
      "help": "rewrite as the person in the record's persona_as; false: only in other words"},
    "keep": {"type": "boolean", "default": true, "help": "also keep the original record, before the rewritten one"},
    "prompts": {"type": "path", "default": null,
      "help": "folder with en/rewrite_as.txt, or rewrite.txt; unset: the plugin's own"},
    "temperature": {"type": "number", "default": 0.7, "min": 0, "help": "sampling temperature; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 2048, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the answer is readable"}
  })json")
