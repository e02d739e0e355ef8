// The task `data`: opens all stages, then finds each stage in the cache or makes it, and reports it.
#include "data/task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "comm/phase.h"
#include "data/lines.h"
#include "data/outcomes.h"
#include "data/production.h"
#include "data/report.h"
#include "data/source.h"
#include "data/stage_cache.h"
#include "inference/certificate.h"
#include "plugin/calls.h"
#include "spec/text.h"

namespace compeer::data {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Reads a rank's portions of a file, in ascending order.
class PortionReader {
 public:
  explicit PortionReader(fs::path file) : file_(std::move(file)) {}

  RecordLines read(int64_t first, int64_t count) {
    if (!reader_) reader_.emplace(file_);
    reader_->skip(first - next_);
    next_ = first + count;
    return reader_->read(count);
  }

 private:
  fs::path file_;
  std::optional<LineReader> reader_;
  int64_t next_ = 0;
};

class DataTask {
 public:
  DataTask(comm::World& world, const comm::StopFlag& stop, const json& spec_file, const fs::path& folder,
           plugin::Services services)
      : world_(world),
        stop_(stop),
        spec_file_(spec_file),
        spec_(spec_file.at("spec")),
        folder_(folder),
        services_(std::move(services)),
        shelf_(fs::absolute(folder).parent_path() / ".stages"),
        answers_(fs::absolute(folder).parent_path() / "answers",
                 [this](const std::string& line) { services_.log("answers", line); }),
        ledger_(fs::absolute(folder), world.rank()),
        report_(world, spec_file, folder, spec_.at("stages").size() + 1) {}

  void run() {
    open_stages();  // all of them first, so that errors are found before any stage costs anything
    world_.run_on_all_ranks("begin", [&] {
      if (world_.rank() != 0) return;
      if (inference::device_in_use() != "cpu")
        report_.note(inference::certificate_text(inference::gpu_in_use(), inference::cuda_software()));
      fs::remove_all(folder_ / "stages");
      fs::create_directories(part());
      fs::create_directories(begun());
    });
    const auto dataset = spec_.at("dataset");
    StageOutput made = step({"datasets", "dataset", dataset}, dataset.at("plugin"),
                            json{spec_.at("data").at("splits"), most_records()}.dump(), "",
                            [&](const std::string&) { return read_dataset(); });
    for (size_t i = 0; i < stages_.size(); ++i) {
      const StageOutput before = made;
      made = step(choices_[i], labels_[i], before.sha256, cache_keys_[i],
                  [&](const std::string& key) { return make(i, before, key); });
    }
    world_.run_on_all_ranks("finish", [&] {
      if (world_.rank() != 0) return;
      fs::remove_all(part());
      fs::remove_all(begun());
      report_.finish(ledger_.sums());
    });
  }

 private:
  fs::path part() const { return folder_ / "stages" / ".part"; }
  fs::path begun() const { return folder_ / ".begun"; }  // unfinished stages, by key

  template <class T>
  plugin::Plugin<T> open(const char* kind, const json& table) {
    const auto choice = services_.find(kind, table.at("plugin").get<std::string>());
    const comm::Phase here("open plugins", choice.kind + "/" + choice.name);
    return plugin::open<T>(choice, Settings(table), std::make_unique<plugin::RunHost>(choice, services_));
  }

  void open_stages() {
    services_.answers = &answers_;
    services_.chat_counts = &counts_;
    services_.on_reply = [this](const std::string& model, const ChatReply& reply) { ledger_.add(model, reply); };
    services_.before_asking = [this](const plugin::Announcement& one) { announce(one); };
    world_.run_on_all_ranks("open plugins", [&] {
      for (const json& given : spec_.at("stages")) {
        json table = given;
        const json label = table.at("label");
        table.erase("label");
        labels_.push_back(label.is_null() ? table.at("plugin") : label);
        choices_.push_back({"stages", fmt::format("stages.{}", stages_.size()), table});
        stages_.push_back(open<Stage>("stages", table));
        cache_keys_.push_back(stages_.back().call("cache_key", [](Stage& s) { return s.cache_key(); }));
      }
    });
  }

  // Finds one stage in the cache or makes it. Every rank gets what the next stage needs: file, hash, number of records.
  template <class Make>
  StageOutput step(const PluginChoice& choice, const std::string& label, const std::string& input,
                   const std::string& cache_key, Make&& work) {
    const auto key = stage_key(spec_file_, choice, input, cache_key);
    const auto found = world_.run_on_all_ranks("look", [&] {
      report_.begin(label);
      return world_.rank() == 0 ? shelf_.find(key) : std::nullopt;
    });
    StageOutput made;
    if (world_.any(found.has_value())) {
      if (found) made = *found;
      summaries_.reset();
    } else {
      made = work(key);
    }
    world_.run_on_all_ranks("keep", [&] {
      if (world_.rank() != 0) return;
      check(made);
      if (made.reused) return;
      made = kept(key, made);
      fs::remove(begun() / key);
    });
    world_.run_on_all_ranks("show", [&] {
      if (world_.rank() != 0) return;
      const auto place = folder_ / "stages" / report_.stem();
      link_or_copy(made.records, place.string() + ".jsonl");
      link_or_copy(made.dropped, place.string() + ".dropped.jsonl");
      fs::create_directories(part());
      sync_folder(place.parent_path());  // before the row that names these files
      sync_folder(folder_);
      report_.end(made);
    });
    return shared(made);
  }

  // Throws if a stage lost more than the spec allows, or all records. The file of dropped records stays available.
  void check(const StageOutput& made) {
    const auto count = [&](const char* name) { return made.chats.value(name, 0.0); };
    const auto most_failed = spec_.at("data").at("max_failed").get<double>();
    const double of_chats = count("asked") + count("known") - count("again");
    if (count("failed") > most_failed * of_chats)
      refuse(made,
             fmt::format("chat models did not answer {} of {} questions; 'data.max_failed' allows a share of {}. "
                         "Reasons: {}",
                         count("failed"), of_chats, most_failed, listed(made.chats.at("failures"))),
             fmt::format("fix the cause, then run: compeer resume {}; or correct the experiment, then use compeer run. "
                         "Stored answers are reused",
                         folder_.string()));
    QuestionCount all = own_questions(made.tally);
    all += {made.tally.in, static_cast<int64_t>(of_chats), static_cast<int64_t>(count("malformed"))};
    if (static_cast<double>(all.malformed) > most_malformed() * static_cast<double>(all.questions))
      refuse_unreadable(made, all, made.tally.in);
    if (made.tally.in > 0 && made.tally.out == 0 && made.tally.dropped_in_all() > 0)
      refuse(made, fmt::format("dropped all of {} records: {}", made.tally.in, reasons(made.tally)),
             "see the dropped records and reasons in " + dropped_file().string());
  }

  [[noreturn]] void refuse(const StageOutput& made, const std::string& what, const std::string& help) const {
    link_or_copy(made.dropped.empty() ? part() / "dropped.jsonl" : made.dropped, dropped_file());
    throw Error("stage " + report_.stem(), what, help, Exit::data);
  }

  // `records`: number of input records, which may be more than those asked about.
  [[noreturn]] void refuse_unreadable(const StageOutput& made, const QuestionCount& asked, int64_t records) const {
    const auto early = asked.records == records
                           ? ""
                           : fmt::format(", so the stage stopped after {} of {} records", asked.records, records);
    const auto what = fmt::format(
        "{} of {} questions got no answer that could be parsed{}; 'data.max_malformed' allows a share of {}",
        asked.malformed, asked.questions, early, most_malformed());
    if (made.chats.value("malformed", 0.0) == 0)
      refuse(made, what,
             "check that the stage calls the right model, with the prompt format that the model was trained on; "
             "log.txt contains such an answer");
    refuse(made, fmt::format("{}. For example: {}", what, listed(made.chats.at("unreadable"))),
           fmt::format("see all of them in {}. If the model thinks, explains or is cut off, raise 'max_tokens' or "
                       "write your own prompt ('prompts'). To repeat the questions: compeer data answers "
                       "{} --malformed --drop && compeer resume {}",
                       dropped_file().string(),
                       (folder_.has_parent_path() ? folder_.parent_path() : fs::path(".")).string(), folder_.string()));
  }

  int64_t most_records() const { return spec_.at("data").value("records", int64_t{0}); }
  double most_malformed() const { return spec_.at("data").value("max_malformed", 0.1); }

  fs::path dropped_file() const { return folder_ / "stages" / (report_.stem() + ".dropped.jsonl"); }

  static std::string listed(const json& examples) {
    std::string list;
    for (const json& one : examples) list += (list.empty() ? "" : "; ") + spec::printable(one.get<std::string>(), 300);
    return list;
  }

  static std::string reasons(const Tally& tally) {
    std::string list;
    for (const auto& [reason, count] : tally.dropped)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", reason, count);
    return list;
  }

  // Stores the stage. If answers are missing, it is not put into the shared cache, so that the next run makes it again.
  StageOutput kept(const std::string& key, const StageOutput& made) {
    if (made.chats.at("failed").get<double>() == 0) return shelf_.put(key, part(), made);
    return StageCache(folder_ / "stages" / ".unfinished").put(key, part(), made);
  }

  // Called before requests are sent; logs once per stage and model. Extrapolates from the current records to all.
  void announce(const plugin::Announcement& one) {
    if (world_.rank() != 0 || !announced_.insert(report_.stem() + "\n" + one.model).second) return;
    const double left = static_cast<double>(current_.total - current_.first) / static_cast<double>(current_.count);
    const double known = static_cast<double>(counts_.known.load()) - before_stage_[1];
    services_.log(
        "answers",
        fmt::format("{}: sending requests to {}. Stored answers used so far: {}. Of {} requests for records {} to {} "
                    "of {}, {} are new, about {} tokens; estimated total: {:.0f} requests, {:.0f} tokens",
                    report_.stem(), one.model, known, one.requests, current_.first + 1, current_.first + current_.count,
                    current_.total, one.unknown, one.tokens, static_cast<double>(one.unknown) * left,
                    static_cast<double>(one.tokens) * left));
  }

  StageOutput shared(const StageOutput& made) {
    std::string bytes = json{made.records.string(), made.sha256, made.tally.out}.dump();
    world_.broadcast(bytes);
    const json read = json::parse(bytes);
    StageOutput same;
    same.records = read[0].get<std::string>();
    same.sha256 = read[1];
    same.tally.out = read[2];
    return same;
  }

  StageOutput read_dataset() {
    std::optional<plugin::Plugin<Dataset>> dataset;
    std::optional<RecordSource> source;
    PortionResult left_out;
    world_.run_on_all_ranks("open the dataset", [&] {
      dataset.emplace(open<Dataset>("datasets", spec_.at("dataset")));
      source.emplace(*dataset, spec_.at("data").at("splits").get<std::vector<std::string>>(), most_records());
      if (world_.rank() != 0) return;
      left_out = source->unreadable();
      if (const auto told = plugin::left_out(*dataset); told.count > 0)
        fmt::print(stderr, "compeer: note: {}\n", spec::printable(told.text, 1000));
    });
    const Summarizer summarize = summarizer_of(0);
    const auto make = [&](int64_t first, int64_t count) {
      PortionResult portion = source->make(first, count, summarize);
      if (first > 0) return portion;
      portion.dropped += left_out.dropped;
      portion.tally.add(left_out.tally);
      return portion;
    };
    return produced(production("dataset", source->size(), make));
  }

  // Returns the function that summarizes a record for stage `i`; null if there is no such stage or it needs no
  // summaries.
  Summarizer summarizer_of(size_t i) {
    const auto needs_summaries = [](Stage& s) { return s.needs_summaries(); };
    if (i == stages_.size() || !stages_[i].call("needs_summaries", needs_summaries)) return nullptr;
    return [this, i](const json& record) {
      return stages_[i].call("summary", [&](Stage& s) { return s.summary(record); });
    };
  }

  StageOutput make(size_t i, const StageOutput& before, const std::string& key) {
    if (const Summarizer summarize = summarizer_of(i)) add_summaries(i, before, summarize);
    const Summarizer next = summarizer_of(i + 1);
    PortionReader lender(before.records);
    const auto make = [&](int64_t first, int64_t count) {
      const RecordLines lines = lender.read(first, count);
      current_ = {first, count, before.tally.out};
      const QuestionCount until_now = asked();
      try {
        PortionResult portion = portion_of(lines, plugin::make(stages_[i], lines.records), next);
        portion.asked = {count, asked().questions - until_now.questions, asked().malformed - until_now.malformed};
        return portion;
      } catch (const json::exception& error) {
        plugin::refuse(stages_[i].identity(), "make",
                       std::string("returned a record that can't be written as JSON: ") + error.what());
      }
    };
    StageWork work = production(labels_[i], before.tally.out, make);
    work.partial_file = begun() / key;
    StageOutput made = produced(std::move(work));
    world_.run_on_all_ranks("findings", [&] {
      if (world_.rank() != 0) return;
      made.findings = stages_[i].call("findings", [&](Stage& s) { return s.findings(made.tally.counts); });
    });
    return made;
  }

  // Questions that this rank has asked in all stages so far.
  QuestionCount asked() const { return {0, counts_.asked + counts_.known - counts_.retried, counts_.malformed}; }

  // Passes the summaries of all records to stage `i`. They exist if this run has made the records; otherwise they are
  // computed.
  void add_summaries(size_t i, const StageOutput& before, const Summarizer& summarize) {
    if (!summaries_) summaries_ = summarize_records(i, before, summarize);
    world_.broadcast(*summaries_);
    world_.run_on_all_ranks("add_summary", [&] {
      each_summary(*summaries_, [&](const std::string& one) {
        stages_[i].call("add_summary", [&](Stage& s) { s.add_summary(one); });
      });
    });
  }

  std::string summarize_records(size_t i, const StageOutput& before, const Summarizer& summarize) {
    PortionReader lender(before.records);
    const auto look = [&](int64_t first, int64_t count) {
      PortionResult portion;
      for (const json& record : lender.read(first, count).records) portion.put(record, "", summarize);
      return portion;
    };
    return produce(world_, stop_, production(labels_[i], before.tally.out, look), "").summaries;
  }

  StageWork production(const std::string& name, int64_t total, std::function<PortionResult(int64_t, int64_t)> make) {
    return {name, total, spec_.at("data").at("concurrency").get<int64_t>(), std::move(make),
            [this, total](int64_t done) { report_.progress(done, total); }};
  }

  StageOutput produced(StageWork work) {
    before_stage_ = StageLog::chats(counts_);
    UnreadableLimit unreadable(most_malformed(), work.total);
    work.should_stop = [&](const PortionResult& portion) {
      auto asked = own_questions(portion.tally);
      return unreadable.too_many_with(asked += portion.asked);
    };
    StageResult product = produce(world_, stop_, work, part());
    summaries_ = std::move(product.summaries);
    StageOutput made;
    made.seconds = product.seconds;
    made.tally = std::move(product.tally);
    made.chats = report_.gather_chat_counts(before_stage_, counts_);
    world_.run_on_all_ranks("keep", [&] {
      if (product.stopped) refuse_unreadable(made, unreadable.so_far(), work.total);
    });
    return made;
  }

  comm::World& world_;
  const comm::StopFlag& stop_;
  const json& spec_file_;
  const json& spec_;
  fs::path folder_;
  plugin::ChatCounts counts_;
  plugin::Services services_;
  StageCache shelf_;
  plugin::AnswerStore answers_;
  Ledger ledger_;
  StageLog report_;
  std::vector<plugin::Plugin<Stage>> stages_;
  std::vector<PluginChoice> choices_;
  std::vector<std::string> labels_, cache_keys_;
  Chats before_stage_{};             // counts at the beginning of the stage
  std::set<std::string> announced_;  // stage and model of each announcement
  struct {
    int64_t first = 0, count = 1, total = 1;
  } current_;                             // the records that `make` is processing
  std::optional<std::string> summaries_;  // summaries for the next stage; nullopt if the last stage was in the cache
};

}  // namespace

void run(comm::World& world, const comm::StopFlag& stop, const json& spec_file, const fs::path& folder,
         plugin::Services services) {
  DataTask(world, stop, spec_file, folder, std::move(services)).run();
}

}  // namespace compeer::data
