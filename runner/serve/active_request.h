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

/// Constrained decoding: restricts a completion to one of several token sequences.
class ChoiceConstraint {
 public:
  /// `ends`: end tokens, which are allowed after a sequence that is a prefix of another one.
  ChoiceConstraint(std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences, std::vector<int32_t> ends);

  /// Returns the tokens that may come next, each once, in the order of ids.
  std::vector<int32_t> allowed() const;
  /// Advances by the sampled token, one of `allowed` and no end token. Returns true if a sequence is complete and no
  /// other one continues it.
  bool push(int32_t id);

 private:
  std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences_;
  std::vector<int32_t> ends_;
  std::vector<size_t> left_;  // indices of the sequences that begin with the tokens so far
  size_t length_ = 0;         // number of tokens so far
};

/// Options of a request that apply to each of its completions.
struct CompletionOptions {
  std::vector<std::string> stop;            ///< stop strings
  std::optional<ChoiceConstraint> choices;  ///< restricts the answer; empty: free text
  bool log_probs = false;                   ///< report log-probabilities
  int64_t top_logprobs = 0;                 ///< most likely tokens to report per position
};

/// One completion in progress: its text up to the first stop string, and the log-probabilities of its tokens. These are
/// the model's own at temperature 1, before filters and penalties; with choices, relative to the allowed tokens.
class GrowingCompletion {
 public:
  /// Keeps a reference to `tokenizer`.
  GrowingCompletion(const language::Tokenizer& tokenizer, std::shared_ptr<const CompletionOptions> wanted);

  /// Must be called with the logits of each token before it is sampled: lowers those of tokens that are not allowed,
  /// and records the distribution. On any thread.
  void constrain(std::span<float> logits);
  /// Adds the sampled token; not for end tokens. Returns true if the completion has ended: by a stop string, or by a
  /// complete choice.
  bool push(int32_t id);

  /// Returns the text and log-probabilities that are final and were not returned before. The end of the text is held
  /// back while a stop string may begin in it.
  CompletionDelta take();
  /// Returns the remaining text and log-probabilities. To be called once, at the end.
  CompletionDelta finish();

 private:
  std::string settled(bool all);

  const language::Tokenizer& tokenizer_;
  const std::shared_ptr<const CompletionOptions> wanted_;
  std::optional<ChoiceConstraint> choices_;
  language::TextStream text_;
  std::string waiting_;  // text not returned yet; its end may be the beginning of a stop string
  bool stopped_ = false;
  std::string log_probs_json_;  // log-probabilities not returned yet, as JSON
  // The next token's logits, their distribution, and the most likely tokens.
  std::vector<float> logits_;
  kernels::Distribution all_;
  std::vector<int32_t> likeliest_;
};

/// A request that the engine is working on. Collects the text of its completions, or sends it at once if the answer is
/// a stream.
struct ActiveRequest {
  ActiveRequest(const CompletionRequest& call, const std::string& id, std::shared_ptr<Response> back);

  /// Sends the first chunk of each completion, if the answer is a stream.
  void open() const;
  /// Adds text or log-probabilities to a completion.
  void add(size_t completion, CompletionDelta more);
  /// Sends the answer, or the end of the stream.
  void close() const;
  /// Sends an error instead; within a stream, as its last event.
  void fail(const HttpError& refusal) const;

  const std::string model;
  const bool stream, usage_in_stream;
  const std::shared_ptr<Response> response;
  const AnswerFormat format;
  std::vector<CompletionDelta> completions;       ///< by completion; not used by streams
  std::map<uint32_t, GrowingCompletion> growing;  ///< completions in progress
  PrefixCache::Entry* prefix = nullptr;           ///< null: the prompt has pictures
  size_t ended = 0;                               ///< number of completions that have ended
  bool nonfinite = false;                         ///< the model computed non-finite logits for one of them
  TokenUsage usage;
};

/// Responds with an error; with Retry-After for status 503.
void refuse(Response& response, const HttpError& refusal);

}  // namespace compeer::serve
