/// MESC: therapy sessions from a television series, English. The table (MESC.csv) has a row for each utterance. The
/// splits (*.json) have situations, and a description of the picture appended to each utterance, which is separated
/// here. Texts are subtitles: consecutive ones of a person are joined by spaces, and tags such as <i> are removed.
#include <algorithm>
#include <regex>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "compeer/plugin.h"
#include "corpora/corpus.h"
#include "corpora/csv.h"
#include "corpora/json_records.h"

namespace {

using namespace compeer::corpora;

const std::vector<std::pair<std::string_view, Role>> speakers = {
    {"user", Role::seeker}, {"sys", Role::supporter}, {"Client", Role::seeker}, {"Therapist", Role::supporter}};

// Unifies "open question" and "Open question"; clients have no strategy, which the table writes as "undefined".
json strategy(json written) {
  if (!written.is_string() || written == "undefined") return nullptr;
  auto& text = written.get_ref<std::string&>();
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return written;
}

// Separates the generated description, which begins with one of two phrases, often without a space before it.
std::pair<std::string, json> without_description(const std::string& text) {
  const size_t cut = std::min(text.find("The speaker"), text.find("The emotion state"));
  if (cut == text.npos) return {text, nullptr};
  return {trimmed(text.substr(0, cut)), trimmed(text.substr(cut))};
}

// Removes tags and line ends from a subtitle.
std::string plain(const std::string& subtitle) {
  static const std::regex tag("</?(i|b|u|font)( [^<>]*)?>", std::regex::icase), space("[ \\t\\r\\n]+");
  return trimmed(std::regex_replace(std::regex_replace(subtitle, tag, ""), space, " "));
}

void finish_turn(const json& written, Utterance& one) {
  auto [text, visual] = without_description(one.text);
  one.text = plain(text);
  one.labels = {{"emotion", label(written, "emotion")}, {"visual", std::move(visual)}};
  if (one.role == Role::supporter) one.labels["strategy"] = strategy(label(written, "strategy"));
}

// Problems are free text in varying case.
void finish(const json&, Dialogue& dialogue) {
  json& problem = dialogue.labels["problem"];
  if (problem.is_string()) problem = lowered(problem);
}

const RecordLayout dialogue_layout = {.turns = "dialog",
                                      .turn = "utterance",
                                      .speaker = "speaker",
                                      .text = {"text"},
                                      .roles = speakers,
                                      .labels = {{"problem", {"problem_type"}}, {"situation", {"situation"}}},
                                      .finish_turn = finish_turn,
                                      .finish = finish};

/// Assembles dialogues from the rows of the table.
class Table {
 public:
  explicit Table(CorpusCache& cache) : cache_(cache) {}

  void take(const CsvRow& row) {
    try {
      if (!row.problem.empty()) throw Refusal(row.problem);
      if (heading_.empty()) {
        heading_ = row.fields;
        return;
      }
      add(fields(row), row.number);
    } catch (const Refusal& refusal) {
      if (is_truncation(refusal.what())) problem_ = truncated_record;
      if (problem_.empty()) problem_ = "row " + std::to_string(row.number) + " " + refusal.what();
      if (first_row_ == 0) first_row_ = row.number;
    }
  }

  // Adds the dialogue assembled so far; leaves it out if one of its rows can't be read.
  void finish() {
    if (first_row_ == 0) return;
    if (problem_.empty()) {
      cache_.add(dialogue_, first_row_);
    } else {
      cache_.leave_out(first_row_, problem_);
    }
    dialogue_ = {}, problem_.clear(), first_row_ = 0;
  }

 private:
  json fields(const CsvRow& row) const {
    if (row.unended && row.fields.size() < heading_.size()) throw Refusal(truncated_record);
    if (row.fields.size() != heading_.size())
      throw Refusal("has " + std::to_string(row.fields.size()) + " fields, but the heading has " +
                    std::to_string(heading_.size()));
    json all = json::object();
    for (size_t i = 0; i < row.fields.size(); ++i) all[heading_[i]] = row.fields[i];
    return all;
  }

  void add(const json& row, int64_t number) {
    const std::string id = text_of(row, "Dialogue_ID");
    if (first_row_ != 0 && id != dialogue_.id) finish();
    if (first_row_ == 0) {
      first_row_ = number;
      dialogue_.id = id;
      dialogue_.labels = {{"season", scale(row, "Season")}, {"episode", scale(row, "Episode")}};
    }
    if (scale(row, "Utterance_ID") != dialogue_.utterances.size())
      throw Refusal("is not utterance " + std::to_string(dialogue_.utterances.size()) + " of dialogue " + id);
    Utterance one{role_of(row, "Speaker", speakers), plain(text_of(row, "Utterance"))};
    one.labels = {
        {"emotion", label(row, "Emotion")}, {"start", label(row, "StartTime")}, {"end", label(row, "EndTime")}};
    if (one.role == Role::supporter) one.labels["strategy"] = strategy(label(row, "Strategy"));
    dialogue_.utterances.push_back(std::move(one));
  }

  CorpusCache& cache_;
  std::vector<std::string> heading_;
  Dialogue dialogue_;
  std::string problem_;
  int64_t first_row_ = 0;
};

void read_table(const CorpusFile& source, CorpusCache& cache) {
  const std::string text = compeer::read_file(source.file);
  compeer::refuse_utf16(text, source.file.string());
  Table table(cache);
  each_csv_row(text, [&](const CsvRow& row) { table.take(row); });
  table.finish();
  if (text.empty()) cache.leave_out(1, "is missing: the file is empty");
}

void read_file(const CorpusFile& source, CorpusCache& cache) {
  static const Reader splits = json_records(dialogue_layout);
  source.file.extension() == ".csv" ? read_table(source, cache) : splits(source, cache);
}

const CorpusLayout mesc_layout = {"mesc", "en", {".csv", ".json", ".jsonl"}, read_file, " "};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, mesc, CorpusOf<mesc_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "MESC: therapy sessions from television, with emotions and descriptions of the video, English.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
