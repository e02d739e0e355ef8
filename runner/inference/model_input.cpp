// Converts lines of JSON input (ids, text or messages, with pictures) to prompts.
#include "inference/model_input.h"

#include "base/error.h"
#include "base/model_folder.h"
#include "language/pictures.h"
#include "rollout/engine.h"

namespace compeer::inference {

namespace {

using json = nlohmann::ordered_json;  // templates get keys in the order of the input

std::vector<int32_t> ids_of(const json& list, const std::string& where) {
  if (!list.is_array()) throw Error(where, "\"ids\" is not a list", "for example {\"ids\": [1, 2, 3]}", Exit::data);
  std::vector<int32_t> ids;
  for (const json& id : list) {
    const bool fits = id.is_number_integer() && id.get<int64_t>() >= INT32_MIN && id.get<int64_t>() <= INT32_MAX;
    if (!fits || (id.is_number_unsigned() && id.get<uint64_t>() > INT32_MAX))
      throw Error(where, "\"ids\" contains " + id.dump().substr(0, 60) + ", which is not a token id", "", Exit::data);
    ids.push_back(id.get<int32_t>());
  }
  return ids;
}

// The pictures of a line: parts of its messages, or the list "images" next to "ids" or "text".
std::vector<language::PictureFiles> shown(const json& line, const language::PictureSettings& settings,
                                          const std::string& where) {
  if (line.contains("messages")) return language::picture_parts(line.at("messages"), settings, where);
  if (line.contains("images")) return language::picture_list(line.at("images"), where);
  return {};
}

}  // namespace

bool ModelInput::has_tokenizer(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "tokenizer.json") || std::filesystem::exists(folder / "vocab.json");
}

ModelInput::ModelInput(const std::filesystem::path& folder, OpenModel& model, bool special,
                       const std::filesystem::path& tokenizer_folder)
    : folder_(tokenizer_folder.empty() ? folder : tokenizer_folder),
      shape_(model.plugin->call("shape", [](Model& m) { return m.shape(); })),
      special_(special),
      vision_input_(folder, *model.plugin) {
  if (!has_tokenizer(folder_) && !has_tokenizer(base_model(folder_))) return;
  tokenizer_.emplace(language::Tokenizer::load(folder_));
}

const language::Tokenizer& ModelInput::needed_tokenizer() const {
  if (tokenizer_) return *tokenizer_;
  throw Error(folder_.string(), "has no tokenizer",
              "add tokenizer.json or vocab.json, or pass token ids: {\"ids\": [...]}", Exit::data);
}

std::vector<int32_t> ModelInput::tokens(json conversation, const std::string& where, bool answer) const {
  if (!chat_) chat_.emplace(needed_tokenizer());
  if (!conversation.contains("add_generation_prompt")) conversation["add_generation_prompt"] = answer;
  try {
    return chat_->encode(chat_->render(conversation), special_);
  } catch (const Error& error) {
    throw with_outer_location(where, error);
  }
}

std::vector<int32_t> ModelInput::tokens_of(const json& line, const std::string& where, bool answer) const {
  if (line.contains("ids")) return ids_of(line.at("ids"), where);
  if (line.contains("messages")) return tokens(line, where, answer);
  if (line.contains("text")) {
    if (!line.at("text").is_string()) throw Error(where, "\"text\" is not a string", "", Exit::data);
    return needed_tokenizer().encode(line.at("text").get<std::string>(), special_);
  }
  const auto wrong = line.empty() ? std::string() : line.begin().key();
  throw Error(where, "has none of ids, text and messages", suggest(wrong, {"ids", "text", "messages"}), Exit::data);
}

PromptWithPictures ModelInput::read(const json& line, const std::string& where, bool answer, int64_t room) const {
  // First, so that a model without vision is reported before its chat template fails on a picture.
  auto pictures = vision_input_.read(shown(line, vision_input_.settings(), where), where);
  return fitted({tokens_of(line, where, answer), std::move(pictures)}, line.contains("ids"), where, room);
}

PromptWithPictures ModelInput::read(const json& conversation, std::span<const std::string> pictures,
                                    const std::string& where, int64_t room) const {
  auto seen = vision_input_.read(pictures, where);  // first, as above
  return fitted({tokens(conversation, where, true), std::move(seen)}, false, where, room);
}

PromptWithPictures ModelInput::fitted(PromptWithPictures prompt, bool repeated, const std::string& where,
                                      int64_t room) const {
  vision_input_.expand_placeholders(prompt.tokens, prompt.pictures, repeated, where);
  try {
    rollout::checked_length({0, prompt.tokens}, shape_, room);
  } catch (const rollout::TooLong& error) {
    throw rollout::TooLong(where, error.problem(), error.help(), error.exit());
  } catch (const Error& error) {
    throw Error(where, error.problem(), error.help(), error.exit());
  }
  return prompt;
}

rollout::Prompt ModelInput::compute_vision(PromptWithPictures prompt) const {
  auto seen = vision_input_.compute_vision(prompt.tokens, 0, 0, prompt.pictures);
  return {0, std::move(prompt.tokens), std::move(seen)};
}

rollout::Supply PromptLines::next(rollout::Prompt& prompt, bool wait) {
  if (mistake_) return rollout::Supply::end;
  if (!wait && !lines_.ready()) return rollout::Supply::later;
  const auto line = lines_.next();
  if (!line) return rollout::Supply::end;
  try {
    const auto object = parse_object(*line, lines_.where());
    gave_ids_ = object.contains("ids");
    prompt = compute_vision(input_.read(object, lines_.where(), answer_, room_));
  } catch (const Error& error) {
    mistake_.emplace(error);
    return rollout::Supply::end;
  }
  prompt.index = count_++;
  return rollout::Supply::prompt;
}

rollout::Prompt PromptLines::compute_vision(PromptWithPictures prompt) const {
  try {
    return input_.compute_vision(std::move(prompt));
  } catch (const Error& error) {
    throw with_outer_location(lines_.where(), error);
  }
}

void PromptLines::finish() const {
  if (mistake_) throw *mistake_;
}

}  // namespace compeer::inference
