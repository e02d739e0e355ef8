#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace compeer::app {

/// A run to export.
struct NamedRun {
  std::string name;  ///< value of the key "run" in the output
  std::filesystem::path folder;
};

/// Writes every completion that `runs` have recorded to `out` as a line of JSON, for `compeer log export --rollouts`,
/// ordered by run, step, prompt and completion:
///
///   run, step, group, index   position: `group` is the number of the prompt within its step
///   example                   id of the record that the prompt was made from
///   prompt                    messages: [{"role", "content"}]; a prompt without chat markup is one user message
///   completion, finished      the text; `finished` is false if it was cut off
///   reward, rewards/LABEL/PART, ..., advantage    value columns of all runs; null: unknown
///   prompt_tokens, tokens, logprobs               only if `tokens`
///
/// Every line has the same keys with the same types, in UTF-8. `check` is called before each step and may throw to stop
/// the export. Throws Error (exit code 4: invalid data) if one of the runs has recorded no completions.
void write_rollouts(
    const std::vector<NamedRun>& runs, bool tokens, std::ostream& out, const std::function<void()>& check = [] {});

/// Writes the same lines to `file`, atomically. Throws Error (exit code 85: stopped by a signal) if a signal to stop
/// arrives, (exit code 1: other failure) if the file can't be written.
void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, const std::filesystem::path& file);

}  // namespace compeer::app
