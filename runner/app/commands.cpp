#include "app/commands.h"

#include <string>

#include "tools/annotate/commands.h"

namespace compeer::app {

namespace {

/// "log show" is the command `show` of the group `log`, which stands before it. A group has no example.
struct Command {
  const char *name, *summary, *example = nullptr;
  void (*add)(CLI::App& command, Action& action) = nullptr;
};

const Command kCommands[] = {
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
    {"plugins", "List, show and check plugins; begin a new one"},
    {"plugins list", "List every plugin that is found: name, version, summary", "compeer plugins list rewards",
     add_plugins_list},
    {"plugins inspect", "Show one plugin with its settings: type, range, default",
     "compeer plugins inspect rewards/length", add_plugins_inspect},
    {"plugins new", "Write a project for a new plugin: source, test, example, CMake",
     "compeer plugins new rewards politeness", add_plugins_new},
    {"plugins stubs", "Print compeer.d.lua: the module and all settings, for editors",
     "compeer plugins stubs >compeer.d.lua", add_plugins_stubs},
    {"plugins check", "Test whether a plugin keeps the contract of its kind",
     "compeer plugins check build/plugins/rewards/length.so --set target=200", add_plugins_check},
    {"plugins lock", "Write a list of allowed plugins, by SHA-256",
     "compeer plugins lock --for experiments/smoke_grpo.toml", add_plugins_lock},
    {"import", "Write a GGUF file's model as a folder in the Hugging Face layout",
     "compeer import SmolLM2-135M-Instruct.Q4_1.gguf -o models/smollm2", add_import},
    {"tokenize", "Turn text and conversations into token ids, or ids into text",
     "echo '{\"text\": \"I see.\"}' | compeer tokenize --model MODEL", add_tokenize},
    {"about", "Show what a model folder holds, and the memory that it takes", "compeer about models/smollm2",
     add_about},
    {"export", "Write an adapter and its base as one model",
     "compeer export --model results/my-lora/checkpoints/last --merge -o merged", add_export},
    {"doctor", "Check this machine, with a remedy for everything it lacks", "compeer doctor", add_doctor},
    {"bench", "Measure this build on this machine", "compeer bench generate train --size small --threads 2", add_bench},
    {"verify", "Compare computed values with files of reference values", "compeer verify reference", add_verify},
    {"generate", "Complete prompts, one JSON object a line",
     "echo '{\"text\": \"I feel alone.\"}' | compeer generate --model MODEL --max-new 64", add_generate},
    {"score", "Compute log-probabilities of texts, one JSON object a line",
     "echo '{\"text\": \"I see.\"}' | compeer score --model MODEL", add_score},
    {"chat", "Talk with a model", "compeer chat --model results/esc-world-ur/checkpoints/last", add_chat},
    {"serve", "Answer requests over HTTP with a model, as OpenAI's API does",
     "compeer serve --model results/esc-world-ur/checkpoints/last --port 8000", add_serve},
    {"data", "Inspect data sets, and have people judge them"},
    {"data stats", "Count dialogues, turns, lengths and labels of data sets",
     "compeer data stats esc_world --set unit=dialogue", add_data_stats},
    {"data agreement", "Measure the agreement of annotators", "compeer data agreement judgements.jsonl --windows 4",
     annotate::add_agreement},
    {"data annotate", "Make a page on which people judge records", "compeer data annotate replies.jsonl --out judging",
     annotate::add_annotate},
    {"data merge", "Merge the exports of annotators", "compeer data merge ada.json bob.json --out judging",
     annotate::add_merge},
    {"data answers", "List or drop the stored answers of chat models, with their cost",
     "compeer data answers results --malformed", add_data_answers},
    {"rescore", "Score recorded dialogues or judgements, without any model",
     "compeer rescore sage dialogues.jsonl --set rounds=20", add_rescore},
};

}  // namespace

void add_commands(CLI::App& program, Action& action) {
  program.require_subcommand(0, 1);  // "bench generate" is a benchmark, no second command
  CLI::App* group = nullptr;
  for (const Command& one : kCommands) {
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
    const auto more = command->get_footer();
    command->footer("Example:\n  " + std::string(one.example) + (more.empty() ? "" : "\n" + more));
  }
}

}  // namespace compeer::app
