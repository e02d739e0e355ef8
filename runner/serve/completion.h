#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/logprob.h"
#include "language/stop_strings.h"
#include "language/tokenizer.h"
#include "serve/answer.h"
#include "serve/choice_guide.h"

namespace compeer::serve {

/// What is asked of each completion of a request.
struct CompletionOptions {
  std::vector<std::string> stop;
  std::optional<ChoiceGuide> choices;
  bool log_probs = false;
  int64_t alternatives = 0;
};

/// One completion as it grows: its text up to the first stop string, and how likely its tokens were. These are the
/// model's own log-probs, at temperature 1, whatever it is drawn by; of one that is held to choices they are those
/// among the tokens that may come.
class GrowingCompletion {
 public:
  GrowingCompletion(const language::Tokenizer& tokenizer, std::shared_ptr<const CompletionOptions> wanted);

  /// The logits that the next token is drawn from: those of tokens that may not come are lowered. By any thread.
  void see(std::span<float> logits);
  /// The token that was drawn, if it is no end token. True: the completion is over.
  bool push(int32_t id);

  /// What is new and settled: text that no stop string can begin in any more, and the tokens since the last call.
  Said take();
  /// The rest.
  Said finish();

 private:
  std::string settled(bool all);

  const language::Tokenizer& tokenizer_;
  const std::shared_ptr<const CompletionOptions> wanted_;
  std::optional<ChoiceGuide> choices_;
  language::TextStream text_;
  std::string waiting_;  // text that may hold the beginning of a stop string
  bool stopped_ = false;
  std::string told_;  // log-probs of the tokens since the last call
  // Of the token that comes next, as the model gave them.
  std::vector<float> logits_;
  kernels::Distribution all_;
  std::vector<int32_t> likeliest_;
};

}  // namespace compeer::serve
