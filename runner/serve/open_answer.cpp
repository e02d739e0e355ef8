#include "serve/open_answer.h"

#include <ctime>
#include <optional>
#include <utility>

namespace compeer::serve {

OpenAnswer::OpenAnswer(const ChatCall& call, const std::string& id, std::shared_ptr<Response> back)
    : model(call.model),
      stream(call.stream),
      usage_in_stream(call.usage_in_stream),
      response(std::move(back)),
      format(id, std::time(nullptr), call.model, call.log_probs),
      said(static_cast<size_t>(call.n)) {}

void OpenAnswer::open() const {
  for (size_t i = 0; i < said.size() && stream; ++i) response->event(format.opening(i));
}

void OpenAnswer::add(size_t completion, Said more) {
  more.index = completion;
  if (stream) {
    if (!more.text.empty() || !more.log_probs.empty() || !more.ended.empty()) response->event(format.chunk(more));
    return;
  }
  Said& all = said[completion];
  all.index = completion;
  all.text += more.text;
  all.log_probs += (all.log_probs.empty() || more.log_probs.empty() ? "" : ",") + more.log_probs;
  all.ended = more.ended;
}

void OpenAnswer::close() const {
  if (!stream) return response->send(200, format.whole(said, usage));
  if (usage_in_stream) response->event(format.usage(usage));
  response->event("[DONE]");
  response->end();
}

void OpenAnswer::fail(const HttpError& refusal) const {
  if (!stream) return refuse(*response, refusal);
  response->event(refusal.body());
  response->end();
}

void refuse(Response& response, const HttpError& refusal) {
  response.send(refusal.status, refusal.body(), refusal.status == 503 ? std::optional(1) : std::nullopt);
}

}  // namespace compeer::serve
