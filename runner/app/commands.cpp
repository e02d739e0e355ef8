// Table of all commands, and error messages for command lines that CLI11 rejects.
#include "app/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tools/annotate/commands.h"

namespace compeer::app {

namespace {

// "log show" is the command `show` of the group `log`, whose entry comes first. A group has neither example nor `add`.
struct Command {
  const char *name, *summary, *example = nullptr;
  void (*add)(CLI::App& command, Action& action) = nullptr;
};

const Command commands[] = {
    {"run", "Run a script or an experiment; finished runs are not repeated", "compeer run scripts/quickstart.lua",
     add_run},
    {"resolve", "Print the resolved spec, with every default filled in; launches nothing",
     "compeer resolve experiments/smoke_grpo.toml --set grpo.lr=1e-4 --origins", add_resolve},
    {"settings", "Print the settings of a run: type, range, default and meaning", "compeer settings grpo",
     add_settings},
    {"resume", "Resume a run from its newest good checkpoint", "compeer resume results/esc-world-ur", add_resume},
    {"submit", "Submit a script or an experiment to Slurm, as jobs that resume by themselves",
     "compeer submit scripts/quickstart.lua --time 2:00:00 --partition short", add_submit},
    {"log", "Show, watch, export, compare and verify recorded runs"},
    {"log show", "Print the newest rows of a run's metrics, and its events",
     "compeer log show smoke-grpo --columns reward,entropy --last 20", add_log_show},
    {"log watch", "Show the progress of runs until they end", "compeer log watch esc-world-ur esc-world-urp",
     add_log_watch},
    {"log export", "Write the metrics of runs for other programs",
     "compeer log export smoke-grpo --csv smoke.csv --tensorboard boards", add_log_export},
    {"log group", "Print one prompt's completions with tokens, rewards and weights",
     "compeer log group smoke-grpo --step 3 --tokens", add_log_group},
    {"log diff", "Print the differences between two runs: settings and figures",
     "compeer log diff esc-world-ur esc-world-urp", add_log_diff},
    {"log verify", "Check that all files of a run are intact; exit code 4 if not", "compeer log verify smoke-grpo",
     add_log_verify},
    {"report", "Write one self-contained page about one or more runs",
     "compeer report esc-world-ur esc-world-urp -o ur.html", add_report},
    {"plugins", "List, show and check plugins; create a new one"},
    {"plugins list", "List every plugin that is found: name, version, summary", "compeer plugins list rewards",
     add_plugins_list},
    {"plugins inspect", "Show one plugin with its settings: type, range, default",
     "compeer plugins inspect rewards/length", add_plugins_inspect},
    {"plugins new", "Write a project for a new plugin: source, test, example, CMake",
     "compeer plugins new rewards politeness", add_plugins_new},
    {"plugins stubs", "Print compeer.d.lua: the module and all settings, for editors",
     "compeer plugins stubs >compeer.d.lua", add_plugins_stubs},
    {"plugins check", "Test whether a plugin fulfils the contract of its kind",
     "compeer plugins check build/plugins/rewards/length.so --set target=200", add_plugins_check},
    {"plugins lock", "Write a list of allowed plugins, by SHA-256",
     "compeer plugins lock --for experiments/smoke_grpo.toml", add_plugins_lock},
    {"import", "Write a GGUF file's model as a folder in the Hugging Face layout",
     "compeer import SmolLM2-135M-Instruct.Q4_1.gguf -o models/smollm2", add_import},
    {"tokenize", "Turn text and conversations into token ids, or ids into text",
     "echo '{\"text\": \"I see.\"}' | compeer tokenize --model MODEL", add_tokenize},
    {"about", "Show the contents of a model folder, and the memory that it needs", "compeer about models/smollm2",
     add_about},
    {"export", "Write an adapter and its base as one model",
     "compeer export --model results/my-lora/checkpoints/last --merge -o merged", add_export},
    {"doctor", "Check this machine, with a remedy for each problem", "compeer doctor", add_doctor},
    {"bench", "Measure this build on this machine", "compeer bench generate train --size small --threads 2", add_bench},
    {"verify", "Compare computed values with files of reference values", "compeer verify reference", add_verify},
    {"generate", "Complete prompts, one JSON object per line",
     "echo '{\"text\": \"I feel alone.\"}' | compeer generate --model MODEL --max-new 64", add_generate},
    {"score", "Compute log-probabilities of texts, one JSON object per line",
     "echo '{\"text\": \"I see.\"}' | compeer score --model MODEL", add_score},
    {"chat", "Talk with a model", "compeer chat --model results/esc-world-ur/checkpoints/last", add_chat},
    {"serve", "Serve a model over HTTP with OpenAI's API",
     "compeer serve --model results/esc-world-ur/checkpoints/last --port 8000", add_serve},
    {"data", "Inspect data sets, and have annotators judge them"},
    {"data stats", "Count dialogues, turns, lengths and labels of data sets",
     "compeer data stats esc_world --set unit=dialogue", add_data_stats},
    {"data agreement", "Measure the agreement of annotators", "compeer data agreement judgements.jsonl --windows 4",
     annotate::add_agreement},
    {"data annotate", "Write a page on which annotators judge records",
     "compeer data annotate replies.jsonl --out judging", annotate::add_annotate},
    {"data merge", "Merge the exports of annotators", "compeer data merge ada.json bob.json --out judging",
     annotate::add_merge},
    {"data answers", "List or drop the stored answers of chat models, with their cost",
     "compeer data answers results --malformed", add_data_answers},
    {"rescore", "Score recorded dialogues or judgements, without any model",
     "compeer rescore sage dialogues.jsonl --set rounds=20", add_rescore},
};

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// Returns the words of a command in full, such as "compeer plugins list".
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

// Finds an option of a command, including those of the commands above it.
const CLI::Option* find_option(const CLI::App* app, const std::string& name) {
  for (; app; app = app->get_parent()) {
    if (const auto* option = app->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

std::vector<std::string> options_of(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app; app = app->get_parent()) {
    for (const auto* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) {
        if (std::find(names.begin(), names.end(), "--" + name) == names.end()) names.push_back("--" + name);
      }
    }
  }
  return names;
}

Error unknown_name_error(const char* what, const std::string& name, const std::vector<std::string>& names,
                         const CLI::App& at) {
  auto help = suggest(name, names);
  if (!at.get_help_ptr()) return Error("", fmt::format("unknown {} '{}'", what, name), help, Exit::usage);
  help += fmt::format("\n        see {} --help", full_name(at));
  return Error("", fmt::format("unknown {} '{}'", what, name), help, Exit::usage);
}

// Parses CLI11's "--device: gpu not in {cpu,cuda,auto}" and returns "did you mean 'cuda'? "; "" if no value is near.
std::string with_suggestion(const std::string& complaint) {
  const auto names = complaint.rfind(" not in {");
  if (names == std::string::npos || !complaint.ends_with('}')) return "";
  const auto value = complaint.substr(0, names);
  std::vector<std::string> known;
  std::istringstream list(complaint.substr(names + 9, complaint.size() - names - 10));
  for (std::string name; std::getline(list, name, ',');) known.push_back(name);
  const auto near = nearest(value.substr(value.rfind(' ') + 1), known);
  return near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
}

// Returns CLI11's message about a command line, reworded if it doesn't say what to write.
std::string reworded(const std::string& complaint, const CLI::App& at) {
  if (complaint == "A subcommand is required")
    return fmt::format("{} needs one of the commands {}", full_name(at), fmt::join(commands_of(at), ", "));
  constexpr std::string_view unreadable = "Could not convert: ";
  const auto equals = complaint.find(" = ");
  if (!complaint.starts_with(unreadable) || equals == std::string::npos) return complaint;
  return fmt::format("{}: '{}' is not a valid number", complaint.substr(unreadable.size(), equals - unreadable.size()),
                     complaint.substr(equals + 3));
}

}  // namespace

void add_commands(CLI::App& program, Action& action) {
  program.require_subcommand(0, 1);  // in "bench generate", generate is an argument
  CLI::App* group = nullptr;
  for (const Command& one : commands) {
    const std::string name = one.name;
    const auto space = name.find(' ');
    auto& above = space == std::string::npos ? program : *group;
    auto* command = above.add_subcommand(name.substr(space + 1), one.summary);
    command->group("Commands")->fallthrough();
    if (!one.add) {
      group = command->require_subcommand(1);
      continue;
    }
    one.add(*command, action);
    for (auto* option : command->get_options([](const CLI::Option* any) { return any->get_positional(); }))
      option->type_name("");  // its name, such as FILE, says as much
    const auto more = command->get_footer();
    command->footer("Example:\n  " + std::string(one.example) + (more.empty() ? "" : "\n" + more));
  }
}

Error usage_error(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& complaint) {
  const CLI::App* at = &app;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const auto& argument = arguments[i];
    const auto name = argument.substr(0, argument.find('='));
    if (argument.size() > 1 && argument[0] == '-') {
      const auto* option = find_option(at, argument[1] == '-' ? name : name.substr(0, 2));
      if (!option && (argument[1] < '0' || argument[1] > '9'))
        return unknown_name_error("option", name, options_of(at), *at);
      const bool value_apart = option && option->get_items_expected_min() > 0 && name == argument;
      if (value_apart) ++i;
    } else if (const auto* command = find_command(*at, argument)) {
      at = command;
    } else if (const auto names = commands_of(*at); !names.empty()) {
      return unknown_name_error("command", argument, names, *at);
    }
  }
  return Error("", reworded(complaint, *at), fmt::format("{}see {} --help", with_suggestion(complaint), full_name(*at)),
               Exit::usage);
}

}  // namespace compeer::app
