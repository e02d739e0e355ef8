/// cer: records of a data run as training examples. A policy learns the completions; a judge learns the annotators'
/// answers, in one conversation of four questions (unifireward) or in separate ones (prm, orm).
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/inside.h"
#include "compeer/dataset.h"
#include "compeer/formed_dataset.h"
#include "compeer/plugin.h"
#include "corpora/json_records.h"
#include "datasets/cer/records.h"
#include "judging/reading.h"
#include "judging/trained_judge.h"

namespace {

using namespace compeer;
using nlohmann::json;

constexpr size_t step_questions = 3;

class Cer : public Dataset, public FormedDataset {
 public:
  Cer(const Settings& settings, Host&)
      : path_(settings.text("path")),
        view_(settings.text("view")),
        keep_(settings.text("keep")),
        reasoning_(settings.text("reasoning")),
        rewritten_(settings.text("rewritten")),
        random_order_(settings.text("order") == "random"),
        shows_(settings.text("pictures") == "shown"),
        reads_(settings),
        media_(settings.has("media") ? std::filesystem::absolute(settings.text("media"))
                                     : std::filesystem::absolute(path_).parent_path()),
        form_(settings) {
    std::vector<std::filesystem::path> files{path_};
    for (const auto& file : settings.texts("more")) files.emplace_back(file);
    for (const auto& file : files)
      corpora::each_json_record(file, [&](const corpora::RawRecord& raw) { take(file, raw); });
    if (rewritten_ == "replaced") replace();
    const double allowed = settings.number("max_unreadable");
    const bool cut = std::any_of(unreadable_.begin(), unreadable_.end(),
                                 [](const Unreadable& one) { return corpora::is_truncation(one.reason); });
    const auto left_out = static_cast<double>(unreadable_.size()), all = left_out + static_cast<double>(read_);
    if (left_out > allowed * all || (cut && allowed < 1)) refuse();
  }

  int64_t size(const std::string& split) const override {
    return count(splits_, split) * per_record() + count(reader_examples_, split);
  }

  Example get(const std::string& split, int64_t index) override {
    const int64_t completions = count(splits_, split) * per_record();
    if (index >= completions)
      return for_reader(read(reader_examples_.at(split).at(static_cast<size_t>(index - completions))));
    const auto& lines = splits_.at(split);
    const auto record = read(lines.at(static_cast<size_t>(index / per_record())));
    if (view_ == "record") return whole(record);
    if (view_ == "policy") return for_policy(record);
    const auto question = static_cast<size_t>(index % per_record());
    if (view_ == "unifireward") return for_judge(record, 0, step_questions);
    if (view_ == "prm") return for_judge(record, question, question);
    return for_judge(record, step_questions, step_questions);
  }

  std::vector<Unreadable> unreadable() const override { return unreadable_; }

  // The form of a judge's conversation (judging/trained_judge.h); null for a policy.
  json form() const override {
    if (!judged()) return nullptr;
    return judging::form_of(
        form_, {.steps = view_ != "orm", .reply = view_ != "prm", .separate = view_ != "unifireward"}, reads_);
  }

 private:
  using Lines = std::map<std::string, std::vector<std::string>>;  // records as bytes, by split

  static int64_t count(const Lines& lines, const std::string& split) {
    const auto found = lines.find(split);
    return found == lines.end() ? 0 : static_cast<int64_t>(found->second.size());
  }
  int64_t per_record() const { return view_ == "prm" ? static_cast<int64_t>(step_questions) : 1; }
  bool judged() const { return view_ != "policy" && view_ != "record"; }

  // Records without a split are in the split train here, but keep having none.
  static Example whole(const cer::Record& record) {
    Example example{record.id, record.history, record.reference, record.all};
    if (!record.all.contains("split")) example.record["split"] = nullptr;
    return example;
  }

  // Parses a record. Its pictures become absolute paths, or are removed if they are not shown.
  cer::Record read(std::string_view bytes) const {
    auto record = cer::read(json::parse(bytes));
    for (size_t i = 0; i < record.history.size(); ++i) {
      auto& pictures = record.history[i].pictures;
      if (pictures.empty()) continue;
      for (std::string& name : pictures) name = (media_ / name).lexically_normal().string();
      if (!shows_) pictures.clear();
      record.all["history"][i].erase("pictures");
      if (shows_) record.all["history"][i]["pictures"] = pictures;
    }
    return record;
  }

  // Records may come from others, and pictures may be sent to external models, so only files in the expected folders
  // are allowed.
  void check_pictures(const cer::Record& record) const {
    for (const Turn& turn : record.history) {
      for (const std::string& file : turn.pictures) {
        if (!is_inside_lexically(media_, file) &&
            !is_inside_lexically(std::filesystem::absolute(path_).parent_path(), file))
          throw std::runtime_error("shows " + file + ", outside of " + media_.string() +
                                   "; set 'media' to the folder of the pictures");
        if (const auto why = why_no_file(file); !why.empty())
          throw std::runtime_error("shows " + file + ", which " + why);
      }
    }
  }

  void take(const std::filesystem::path& file, const corpora::RawRecord& raw) {
    try {
      if (!raw.problem.empty()) throw std::runtime_error(raw.problem);
      const auto record = read(raw.bytes);
      check_pictures(record);
      if (!record.labelled && (judged() || (view_ == "policy" && keep_ != "all")))
        throw std::runtime_error("has no labels ('steps', 'preference')");
      if (judged()) judging::reading_in(record.all, reads_);
      ++read_;
      const auto split = record.all.value("split", "train");
      const auto original = record.all.find("rewritten");
      const bool left_out = original != record.all.end() && rewritten_ != "kept";
      if (view_ == "policy" && reads_.replies && !left_out && has_one_writer(record.all))
        reader_examples_[split].emplace_back(raw.bytes);
      if (view_ == "policy" && !wanted(record)) return;
      if (!left_out) {
        splits_[split].emplace_back(raw.bytes);
      } else if (rewritten_ == "replaced") {
        ++copies_[original->get<std::string>()];
      }
    } catch (const std::exception& error) {
      unreadable_.push_back({file.string(), raw.number, error.what()});
    }
  }

  // Adds a copy of the original next to it for each of its rewritten records.
  void replace() {
    for (auto& [split, lines] : splits_) {
      std::vector<std::string> all;
      for (std::string& line : lines) {
        const auto found = copies_.find(json::parse(line).at("id").get<std::string>());
        if (found != copies_.end()) all.insert(all.end(), found->second, line);
        all.push_back(std::move(line));
      }
      lines = std::move(all);
    }
  }

  // True for completions a policy should learn: all steps right and a reply as good as the reference. If the reference
  // replaces the reply, the reply does not matter.
  bool wanted(const cer::Record& record) const {
    if (keep_ == "all") return true;
    const bool right = std::all_of(record.steps.begin(), record.steps.end(), [](bool step) { return step; });
    if (keep_ == "reference") return right;
    return right && empathy::as_good(record.preference);
  }

  // True if one writer wrote both steps and reply, so that the reply follows from the steps, right or wrong, and a
  // reader can learn the steps behind it. In spoilt records the reply may come from another dialogue.
  static bool has_one_writer(const json& record) {
    const auto from = record.find("provenance");
    return from == record.end() || !from->contains("candidates") || !from->at("candidates").contains("spoilt");
  }

  [[noreturn]] void refuse() const {
    std::string list;
    for (size_t i = 0; i < std::min<size_t>(unreadable_.size(), 3); ++i) {
      const auto& [file, record, reason] = unreadable_[i];
      list += "\n  " + (file == path_ ? "" : file + ", ") + "record " + std::to_string(record) + ": " + reason;
    }
    throw Error(path_.string(), std::to_string(unreadable_.size()) + " records can't be read" + list,
                "correct them, or raise max_unreadable", Exit::data);
  }

  Example for_policy(const cer::Record& record) const {
    auto completion = record.candidate;
    if (keep_ == "reference") completion.reply = record.reference;
    return {record.id, record.history, printed(completion, record.id), record.all};
  }

  // Returns the completion in the setting's form. As a thought, the steps are one text, in an order that depends on the
  // record's id.
  std::string printed(const empathy::Structured& written, const std::string& id) const {
    if (reasoning_ == "steps") return empathy::print(written);
    if (reasoning_ == "none") return written.reply;
    std::array<const std::string*, 3> parts = {&written.history, &written.emotion, &written.strategy};
    std::rotate(parts.begin(), parts.begin() + static_cast<int>(3 * draw(id)), parts.end());
    return "<think>" + *parts[0] + ". " + *parts[1] + ". " + *parts[2] + ".</think>\n" + written.reply;
  }

  // Returns an example for a reader: the steps behind a reply, given only the reply.
  static Example for_reader(const cer::Record& record) {
    const auto& written = record.candidate;
    return {record.id + "/reply", {{"user", written.reply}}, empathy::print_steps(written), record.all};
  }

  // Returns the questions `first` to `last` with the annotators' answers; `target_turns` counts the answers in the
  // loss, the last one included.
  Example for_judge(const cer::Record& record, size_t first, size_t last) const {
    const bool swap = random_order_ && draw(record.id) < 0.5;
    const auto& c = record.candidate;
    const auto reading = judging::reading_in(record.all, reads_);
    const judging::InterpretedReply reference{record.reference, reading.reference}, reply{c.reply, reading.reply};
    Example example{record.id, form_.context(record.history), "", record.all};
    for (size_t question = first; question <= last; ++question) {
      if (question > first) example.history.push_back({"assistant", example.answer});
      if (question < step_questions) {
        const std::string* texts[] = {&c.history, &c.emotion, &c.strategy};
        example.history.push_back({"user", form_.about_step(question, *texts[question], reading.dialogue)});
        example.answer = form_.verdicts().print(record.steps[question]);
      } else {
        example.history.push_back({"user", swap ? form_.about_replies(reply, reference, reading.dialogue)
                                                : form_.about_replies(reference, reply, reading.dialogue)});
        example.answer = form_.preferences().print(swap ? empathy::swapped(record.preference) : record.preference);
      }
    }
    if (first == last) example.id += "/" + std::to_string(first);
    example.target_turns = static_cast<int64_t>(last - first) + 1;
    return example;
  }

  // Returns a number in [0, 1) that depends on the record's id only.
  static double draw(const std::string& id) {
    return static_cast<double>(std::stoul(sha256(id).substr(0, 8), nullptr, 16)) / 4294967296.0;
  }

  const std::filesystem::path path_;
  const std::string view_, keep_, reasoning_, rewritten_;
  const bool random_order_, shows_;
  const judging::Reads reads_;
  const std::filesystem::path media_;
  const judging::JudgeFormat form_;
  Lines splits_, reader_examples_;  // completions, and replies for a reader
  std::vector<Unreadable> unreadable_;
  std::map<std::string, size_t> copies_;  // number of rewritten records of an original, by its id
  int64_t read_ = 0;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, cer, Cer,
               R"json(
  "version": "1.0.0",
  "summary": "CER records: completions with labels of their steps and a preference, for a policy or a judge.",
  "parameters": {
    "path": {"type": "path", "help": "JSON lines, as written by scripts/build_cer.lua"},
    "more": {"type": "list", "items": "path", "default": [], "help": "further files, read after 'path'"},
    "view": {"type": "string", "default": "policy", "choices": ["policy", "record", "unifireward", "prm", "orm"],
      "help":
        "an example: a completion; the record with the reference as answer; a judge's conversation; a step; a reply"},
    "keep": {"type": "string", "default": "preferred", "choices": ["preferred", "reference", "all"],
      "help":
        "policy: correct steps with a reply as good as the reference; correct steps with the reference as reply; all"},
    "reasoning": {"type": "string", "default": "steps", "choices": ["steps", "thought", "none"],
      "help": "policy: three steps; their words as an unstructured thought; only the reply (not in the paper)"},
    "rewritten": {"type": "string", "default": "kept", "choices": ["kept", "left_out", "replaced"],
      "help": "records rewritten by the stage rewrite: kept; left out; each replaced by a copy of its original"},
    "order": {"type": "string", "default": "random", "choices": ["random", "reference_first"],
      "help": "judges: order of the two replies"},
    "max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,
      "help": "maximum share of records that are left out because they can't be read"},
    "pictures": {"type": "string", "default": "left_out", "choices": ["left_out", "shown"],
      "help": "files listed in the turns' 'pictures'; models without vision refuse them"},
    "media": {"type": "path", "default": null,
      "help": "folder of the pictures; unset: that of the records"},)json" COMPEER_READS_SETTINGS COMPEER_JUDGE_SETTINGS
               R"json(
  })json")
