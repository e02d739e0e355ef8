#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/logprob.h"
#include "language/text_stream.h"
#include "language/tokenizer.h"
#include "serve/answer.h"
#include "serve/http.h"
#include "serve/prefixes.h"
#include "serve/request.h"

namespace compeer::serve {

/// Holds a completion to one of some token sequences.
class ChoiceGuide {
 public:
  /// `ends`: the tokens that may follow a sequence which others go on from.
  ChoiceGuide(std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences, std::vector<int32_t> ends);

  /// The tokens that may come next, each once.
  std::vector<int32_t> allowed() const;
  /// The one that came. True: a sequence is there, and no other goes on from it.
  bool push(int32_t id);

 private:
  std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences_;
  std::vector<int32_t> ends_;
  std::vector<size_t> left_;  // the sequences that begin with what came
  size_t length_ = 0;         // of what came
};

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

/// A request that has a place in the engine. What its completions say is kept, or sent at once if its answer is a
/// stream.
struct OpenAnswer {
  OpenAnswer(const ChatCall& call, const std::string& id, std::shared_ptr<Response> back);

  void open() const;
  void add(size_t completion, Said more);
  void close() const;
  void fail(const HttpError& refusal) const;

  const std::string model;
  const bool stream, usage_in_stream;
  const std::shared_ptr<Response> response;
  const AnswerFormat format;
  std::vector<Said> said;  ///< by completion
  std::map<uint32_t, GrowingCompletion> growing;
  Prefixes::Place* place = nullptr;
  size_t ended = 0;     ///< completions
  bool broken = false;  ///< one met numbers that are not finite
  TokenUsage usage;
};

/// Says why a request isn't answered.
void refuse(Response& response, const HttpError& refusal);

}  // namespace compeer::serve
