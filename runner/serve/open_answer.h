#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/answer.h"
#include "serve/completion.h"
#include "serve/http.h"
#include "serve/prefixes.h"
#include "serve/request.h"

namespace compeer::serve {

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
