#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace compeer::app {

/// A run whose rollouts are exported, under the name it has in the lines.
struct NamedRun {
  std::string name;
  std::filesystem::path folder;
};

/// Every completion of these runs as a line of JSON, by run, step, prompt and completion:
///
///   run, step, group, index   which one: `group` is the prompt's number within its step
///   example                   the record the prompt was made of
///   prompt                    messages: [{"role", "content"}]. A prompt without chat markup is one of the user
///   completion, finished      the text; false if it was cut off
///   reward, rewards/LABEL/PART, ..., advantage    as named in run.h5, those of all runs; null: not known
///   prompt_tokens, tokens, logprobs               with `tokens` alone
///
/// Every line has the same keys with the same types, in UTF-8. Throws Error (exit 4) if one of the runs has no
/// rollouts.
/// `check` is called for each step, and ends the export if it throws.
void write_rollouts(
    const std::vector<NamedRun>& runs, bool tokens, std::ostream& out, const std::function<void()>& check = [] {});

/// The same into a file, which appears whole or not at all, also if a signal ends the export (Error, exit 85).
void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, const std::filesystem::path& file);

}  // namespace compeer::app
