/// ESConv-SRA: people's preferences between two replies to an ESConv dialogue, English. A record of the file is one
/// person's judgement of a pair, from -4 (the first is much better) to 4. Here a record is a pair: the first reply is
/// the "reference", the second the candidate, and "people" has "ratings", all judgements.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "compeer/dataset.h"
#include "compeer/plugin.h"
#include "corpora/json_records.h"

namespace {

using namespace compeer;
using corpora::Refusal;
using nlohmann::json;

// Parses a history in HTML: "<br><b>seeker</b>: Hello.<br><b>supporter</b>: ...".
json turns_of(std::string_view page) {
  static const std::vector<std::pair<std::string, std::string>> speakers = {{"<b>seeker</b>:", "user"},
                                                                            {"<b>supporter</b>:", "assistant"}};
  constexpr std::string_view line = "<br>";
  json turns = json::array();
  while (!page.empty()) {
    if (page.starts_with(line)) page.remove_prefix(line.size());
    const auto speaker =
        std::find_if(speakers.begin(), speakers.end(), [&](const auto& one) { return page.starts_with(one.first); });
    if (speaker == speakers.end())
      throw Refusal("has a line without a speaker in 'history': '" + std::string(page.substr(0, 40)) + "'");
    page.remove_prefix(speaker->first.size());
    const size_t end = std::min(page.find("<br><b>"), page.size());
    turns.push_back({{"role", speaker->second}, {"text", corpora::trimmed(page.substr(0, end))}});
    page.remove_prefix(end);
  }
  if (turns.empty()) throw Refusal("has no turns in 'history'");
  return turns;
}

// Returns how much better the second reply is; the file has it as text, "-4" to "4".
int rating_of(const json& judgement) {
  const auto written = corpora::text_of(judgement, "model-preference");
  const bool negative = written.starts_with('-');
  const auto digits = std::string_view(written).substr(negative ? 1 : 0);
  if (digits.size() != 1 || digits[0] < '0' || digits[0] > '4') throw Refusal("has no 'model-preference' from -4 to 4");
  return (negative ? -1 : 1) * (digits[0] - '0');
}

class EsconvSra : public Dataset {
 public:
  EsconvSra(const Settings& settings, Host&) : path_(settings.text("path")) {
    corpora::read_records(path_, left_out_, [&](const json& judgement, const corpora::RawRecord&) { take(judgement); });
    corpora::check_unreadable(left_out_, judgements_, path_, settings.number("max_unreadable"),
                              "check that 'path' is annotation-results.json of ESConv-SRA");
    if (pairs_.empty()) throw Error(path_, "contains no judgement", "", Exit::data);
  }

  int64_t size(const std::string& split) const override { return split == "test" ? std::ssize(pairs_) : 0; }

  Example get(const std::string&, int64_t index) override {
    const json& pair = pairs_.at(static_cast<size_t>(index));
    std::vector<Turn> history;
    for (const json& turn : pair.at("history")) history.push_back({turn.at("role"), turn.at("text"), {}});
    return {pair.at("id"), std::move(history), pair.at("reference"), pair};
  }

  std::vector<Unreadable> unreadable() const override { return left_out_; }

 private:
  // Adds a judgement to its pair, or creates the pair. Several pairs may have the same dialogue and strategy.
  void take(const json& judgement) {
    const int rating = rating_of(judgement);
    const auto dialogue = corpora::text_of(judgement, "conv_id"),
               first = corpora::text_of(judgement, "model1_response"),
               second = corpora::text_of(judgement, "model2_response");
    const json history = turns_of(corpora::text_of(judgement, "history")),
               asked_for = corpora::label(judgement, "strategy"), rater = corpora::scale(judgement, "annotator");
    const auto [known, is_new] = places_.try_emplace(json{dialogue, first, second}.dump(), pairs_.size());
    if (is_new) {
      const auto id = "esconv_sra/" + std::to_string(pairs_.size() + 1);
      pairs_.push_back({{"id", id},
                        {"dialogue", dialogue.substr(0, dialogue.find('_'))},
                        {"source", "esconv_sra"},
                        {"language", "en"},
                        {"history", history},
                        {"reference", first},
                        {"candidates", {{{"history", ""}, {"emotion", ""}, {"strategy", ""}, {"reply", second}}}},
                        {"asked_for", asked_for},
                        {"people", {{"ratings", json::array()}, {"raters", json::array()}}}});
    }
    json& people = pairs_[known->second].at("people");
    people["ratings"].push_back(rating);
    people["raters"].push_back(rater);
    ++judgements_;
  }

  const std::string path_;
  std::vector<json> pairs_;
  size_t judgements_ = 0;
  std::map<std::string, size_t> places_;
  std::vector<Unreadable> left_out_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, esconv_sra, EsconvSra, R"json(
  "version": "1.0.0",
  "summary": "ESConv-SRA: which of two replies people prefer, English; all of it is the split test.",
  "parameters": {
    "path": {"type": "path", "help": "annotation-results.json"},
    "max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,
      "help": "maximum share of judgements that are left out because they can't be read"}
  })json")
