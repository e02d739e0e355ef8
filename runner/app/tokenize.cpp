// compeer tokenize: converts text and conversations to token ids, and ids to text. Needs only tokenizer files.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "base/error.h"
#include "base/json.h"
#include "language/chat.h"

namespace compeer::app {

namespace {

using Json = nlohmann::ordered_json;
using language::Chat;
using language::Tokenizer;

constexpr const char* tokenize_help = R"(
Standard input: one JSON object per line,
  {"text": "Hello"}                                        -> {"ids": [...]}
  {"messages": [{"role": "user", "content": "Hello"}], "add_generation_prompt": true}
                                                           -> {"ids": [...], "text": "..."}
  {"ids": [1, 2, 3]}            with --decode              -> {"text": "..."}
A conversation is rendered by the folder's chat template; further keys ("tools", ...) are passed to the template.
Special tokens in "text" and in messages are read as plain text unless --special is given.
An invalid line ends the program with exit code 4, after the lines before it have been answered.)";

struct TokenizeOptions {
  std::string folder;
  bool decode = false, special = false, skip_special = false, as_json = false;
};

class Lines {
 public:
  explicit Lines(const TokenizeOptions& options) : options_(options), tokenizer_(Tokenizer::load(options.folder)) {
    if (const int lost = tokenizer_.lost_bytes(); lost > 0)
      std::cerr << fmt::format("compeer: note: {} of the 256 byte values have no token and are dropped\n", lost);
  }

  Json answer(const Json& line) {
    if (!line.is_object()) refuse("is not a JSON object");
    if (options_.decode) return decoded(line);
    if (line.contains("messages")) return conversation(line);
    if (!line.contains("text") || !line.at("text").is_string())
      refuse("has neither a text 'text' nor a list 'messages'", "use --decode to turn token ids into text");
    return {{"ids", tokenizer_.encode(line.at("text").get_ref<const std::string&>(), options_.special)}};
  }

 private:
  [[noreturn]] static void refuse(const std::string& what, const std::string& help = "") {
    throw Error("", what, help, Exit::data);
  }

  Json conversation(const Json& line) {
    if (!chat_) chat_.emplace(tokenizer_);
    const auto rendered = chat_->render(line);
    return {{"ids", chat_->encode(rendered, options_.special)}, {"text", rendered.text}};
  }

  Json decoded(const Json& line) const {
    if (!line.contains("ids") || !line.at("ids").is_array()) refuse("has no list 'ids'");
    std::vector<int32_t> ids;
    for (const Json& id : line.at("ids")) {
      const bool fits = id.is_number_integer() && id >= 0 && id < tokenizer_.size();
      if (!fits || !tokenizer_.has_id(id.get<int32_t>()))
        refuse(fmt::format("no token has the id {}", id.dump().substr(0, 60)),
               fmt::format("use ids below {}, the size of this tokenizer", tokenizer_.size()));
      ids.push_back(id.get<int32_t>());
    }
    return {{"text", tokenizer_.decode(ids, !options_.skip_special)}};
  }

  const TokenizeOptions& options_;
  Tokenizer tokenizer_;
  std::optional<Chat> chat_;
};

int tokenize(const TokenizeOptions& options) {
  Lines lines(options);
  std::string line;
  for (size_t number = 1; std::cout && std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto where = fmt::format("standard input, line {}", number);
    const Json parsed = parse_strict_json<Json>(line, where);
    try {
      std::cout << lines.answer(parsed) << '\n';
    } catch (const Error& e) {
      throw Error(where, e.where().empty() ? e.problem() : e.where() + ": " + e.problem(), e.help(), e.exit());
    }
  }
  return 0;
}

}  // namespace

void add_tokenize(CLI::App& command, Action& action) {
  auto options = std::make_shared<TokenizeOptions>();
  command.add_option("--model", options->folder, "a model folder, or one with its tokenizer files only")
      ->required()
      ->type_name("DIR");
  auto* decode = command.add_flag("--decode", options->decode, "token ids to text");
  command.add_flag("--special", options->special, "recognise special tokens in texts and messages")->excludes(decode);
  command.add_flag("--skip-special", options->skip_special, "leave special tokens out of the text")->needs(decode);
  command.add_flag("--json", options->as_json, "has no effect: the output is always JSON");
  command.footer(tokenize_help);
  command.callback([options, &action] { action = [options] { return tokenize(*options); }; });
}

}  // namespace compeer::app
