// compeer chat: the worker does the talking (inference/chat.h).
#include "app/commands.h"
#include "app/model_options.h"
#include "launch/become_worker.h"

namespace compeer::app {

namespace {

constexpr const char* kFooter = R"(
At a terminal: Ctrl-C ends a reply, Ctrl-D the conversation; /help lists commands. Without one, every line of standard
input is answered. Replies go to standard output, everything else to standard error.)";

struct ChatOptions {
  ModelChoice model;
  SamplingChoice sampling;
  std::string system;
};

int chat(const ChatOptions& options) {
  auto all = options.model.checked();
  options.sampling.write(all);
  all["system"] = options.system;
  launch::become_worker("chat", all, options.model.threads);
}

}  // namespace

void add_chat(CLI::App& command, Action& action) {
  auto options = std::make_shared<ChatOptions>();
  options->sampling.temperature = 0.7;
  options->sampling.top_p = 0.9;
  options->sampling.max_new = 1024;
  options->model.add_to(command);
  options->sampling.add_to(command);
  command.add_option("--system", options->system, "what the model is told first")->type_name("TEXT");
  command.footer(kFooter);
  command.callback([options, &action] { action = [options] { return chat(*options); }; });
}

}  // namespace compeer::app
