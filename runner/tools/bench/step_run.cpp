// Runs GRPO workloads in which all steps are alike.
#include "tools/bench/step_run.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "launch/launch.h"
#include "launch/process.h"
#include "launch/worker_program.h"
#include "plugin/search.h"
#include "record/run_file.h"
#include "spec/spec.h"

namespace compeer::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz";
const std::string end_token = "<end>";

int64_t vocabulary_of(const fs::path& folder) {
  std::ifstream file(folder / "config.json");
  return json::parse(file).at("vocab_size").get<int64_t>();
}

// Returns the character for a byte in byte-level vocabularies: the byte itself if printable, otherwise the next letter
// from U+0100 on.
std::string symbol(unsigned byte, unsigned& hidden) {
  const bool printed = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
  const unsigned letter = printed ? byte : 256 + hidden++;
  if (letter < 128) return std::string(1, static_cast<char>(letter));
  return {static_cast<char>(0xC0 | (letter >> 6)), static_cast<char>(0x80 | (letter & 0x3F))};
}

// Writes a tokenizer with single bytes, words that are only sampled, and an end token: as many tokens as the model has.
void write_tokenizer(const fs::path& folder, int64_t size) {
  json vocabulary = json::object();
  for (unsigned byte = 0, hidden = 0; byte < 256; ++byte) vocabulary[symbol(byte, hidden)] = byte;
  while (static_cast<int64_t>(vocabulary.size()) + 1 < size)
    vocabulary[fmt::format("\u0120t{}", vocabulary.size())] = vocabulary.size();
  const json end = {{"id", size - 1}, {"content", end_token}, {"special", true}, {"normalized", false}};
  const json all = {{"added_tokens", json::array({end})},
                    {"normalizer", nullptr},
                    {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
                    {"decoder", {{"type", "ByteLevel"}}},
                    {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}};
  std::ofstream(folder / "tokenizer.json") << all.dump();
}

// Writes a chat template that renders `length` letters, which depend on the length of the record.
void write_template(const fs::path& folder, int64_t length) {
  const auto text = fmt::format(
      "{{%- for i in range({}) %}}{{{{- '{}'[(i * 7 + messages[0].content|length) % 26] }}}}{{%- endfor %}}", length,
      letters);
  std::ofstream(folder / "tokenizer_config.json") << json{{"eos_token", end_token}, {"chat_template", text}}.dump();
}

// Links the model's files, and sets an end token that it never draws.
void link_model(const fs::path& model, const fs::path& folder) {
  auto config = read_json_object(model / "config.json");
  config["eos_token_id"] = config.at("vocab_size").get<int64_t>() - 1;
  std::ofstream(folder / "config.json") << config.dump();
  for (const auto& file : fs::directory_iterator(model)) {
    const auto name = file.path().filename().string();
    if (name.find(".safetensors") != name.npos) fs::create_symlink(file.path(), folder / name);
  }
}

// The learning rate is tiny: at 1e-5 a random model may soon draw its end token, which would change the measurement.
std::string spec_of(const StepLoad& load, const fs::path& model) {
  const auto adapter = load.adapter > 0 ? fmt::format(", adapter = {{ rank = {} }}", load.adapter) : "";
  const auto there = load.device == "cpu" ? "" : fmt::format(R"(, device = "{}", engine = "libtorch")", load.device);
  return fmt::format(R"(name = "step-{}-{}"
task = "grpo"
ranks = {}
threads = {}
model = {{ plugin = "auto", path = {}, compute = "{}"{}{} }}
dataset = {{ plugin = "esc_world" }}
rewards = [{{ plugin = "length", unit = "characters", target = {} }}]
reweighting = {{ plugin = "none" }}
sampling = {{ max_new_tokens = {}, concurrent = {} }}
grpo = {{ loss = "dapo", group_size = {}, batch = {}, steps = {}, groups_per_reduction = {}, lr = 1e-12 }}
checkpoint = {{ every = 0, keep = 1 }}
)",
                     load.ranks, load.threads, load.ranks, load.threads, json(model.string()).dump(), load.compute,
                     adapter, there, 5 * load.new_tokens, load.new_tokens, load.prompts * load.group, load.group,
                     load.prompts, load.steps + 1, load.groups_per_reduction);
}

}  // namespace

StepLoad::StepLoad(const BenchOptions& options)
    : size(options.size), compute(options.compute), device(options.device), adapter(options.adapter) {
  if (!options.model.empty()) {
    model = model_folder(options.model);
    size = fs::path(model).filename();
  }
  const auto or_else = [](int64_t given, int64_t value) { return given > 0 ? given : value; };
  const bool big = is_large(size);
  prompts = or_else(options.prompts, big ? 4 : 8);
  group = or_else(options.group, 4);
  prompt = or_else(options.prompt, 64);
  new_tokens = or_else(options.new_tokens, big ? 32 : 64);
  steps = or_else(options.steps, big ? 2 : 6);
  groups_per_reduction = or_else(options.groups_per_reduction, 1);
  ranks = or_else(options.ranks, 1);
  threads = or_else(options.threads, 1);
}

std::string StepLoad::text() const {
  return fmt::format("{}{}{}, {} x {}, {} + {}, {} rank{}, {} thread{}", device == "cpu" ? "" : device + " ", size,
                     compute == "float32" ? "" : ", products in " + compute, prompts, group, prompt, new_tokens, ranks,
                     ranks > 1 ? "s" : "", threads, threads > 1 ? "s" : "");
}

json StepLoad::fields() const {
  return {{"size", size},
          {"prompts", prompts},
          {"group", group},
          {"prompt", prompt},
          {"compute", compute},
          {"new", new_tokens},
          {"together", groups_per_reduction},
          {"ranks", ranks},
          {"threads", threads}};
}

double StepLoad::tokens() const { return static_cast<double>(prompts * group * new_tokens); }

fs::path model_folder(const std::string& given) {
  if (!fs::exists(fs::path(given) / "config.json"))
    throw Error(given, "is not a model folder: it contains no config.json",
                "name a folder such as a run's checkpoints/last", Exit::data);
  return fs::canonical(given);
}

void write_step_model(const StepLoad& load, const fs::path& folder) {
  if (load.model.empty()) {
    const json options = {{"size", load.size}, {"folder", folder.string()}};
    launch::output_or_throw(
        "compeer-worker",
        launch::run_program({launch::find_worker(), "model", "bench_model", options.dump()}, {}, 600));
  } else {
    link_model(load.model, folder);
  }
  write_tokenizer(folder, vocabulary_of(folder));
  write_template(folder, load.prompt);
}

StepTimes::StepTimes(const fs::path& run) {
  const record::RunReader log(run / "run.h5");
  for (const auto& name : log.columns()) {
    auto values = log.column(name);
    columns_[name].assign(values.begin() + 1, values.end());
  }
  const auto times = log.times();
  for (size_t i = 1; i < times.size(); ++i) columns_["seconds/whole"].push_back(times[i] - times[i - 1]);
}

std::vector<std::string> StepTimes::phases() const {
  std::vector<std::string> all;
  for (const auto& [name, values] : columns_) {
    if (name.starts_with("seconds/") && name != "seconds/whole" && name != "seconds/step")
      all.push_back(name.substr(8));
  }
  return all;
}

std::vector<double> StepTimes::share(const std::string& phase) const {
  auto percent = of("seconds/" + phase);
  for (size_t i = 0; i < percent.size(); ++i) percent[i] *= 100 / of("seconds/whole")[i];
  return percent;
}

StepTimes run_steps(const StepLoad& load, const fs::path& folder) { return run_spec(spec_of(load, folder), folder); }

StepTimes run_spec(const std::string& toml, const fs::path& folder) {
  const auto file = folder / "step.toml";
  std::ofstream(file) << toml;
  auto spec = spec::resolve(spec::load_draft(file.string(), {}), plugin::Finder());
  spec::pin_inputs(spec);
  launch::LaunchOptions options;
  options.results = folder / "results";
  options.fresh = true;
  options.quiet = true;
  const auto done = launch::launch({spec}, options).at(0);
  if (done.error) throw *done.error;
  StepTimes times(done.folder);
  fs::remove_all(done.folder);  // its checkpoints are large
  return times;
}

}  // namespace compeer::bench
