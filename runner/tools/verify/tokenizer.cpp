// Checks tokenizers and chat templates.
#include "tools/verify/tokenizer.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "base/json.h"
#include "language/chat.h"
#include "language/text_stream.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Ids = std::vector<int32_t>;
using language::Chat;
using language::Tokenizer;

bool has_tokenizer(const fs::path& folder) {
  return fs::exists(folder / "tokenizer.json") || fs::exists(folder / "vocab.json");
}

// A tokenizer in the file's folder is the one the file was made with.
fs::path tokenizer_folder(const fs::path& file, const VerifyOptions& options) {
  const fs::path beside = fs::absolute(file).parent_path();
  if (has_tokenizer(beside)) return beside;
  if (!options.tokenizer.empty()) return options.tokenizer;
  for (const fs::path& folder : {beside / "../qwen2.5", beside / "../../data/qwen2.5"}) {
    if (has_tokenizer(folder)) return folder;
  }
  throw Error(file.string(), "requires the tokenizer that it was made with", "name its folder: --tokenizer DIR",
              Exit::data);
}

// Returns the folder of the multimodal template; empty if there is none.
fs::path multimodal_folder(const fs::path& file, const fs::path& tokenizer) {
  const fs::path beside = fs::absolute(file).parent_path();
  for (const fs::path& folder :
       {tokenizer / "../qwen2.5-vl", beside / "../qwen2.5-vl", beside / "../../data/qwen2.5-vl"}) {
    if (fs::exists(folder / "chat_template.json") || fs::exists(folder / "chat_template.jinja")) return folder;
  }
  return {};
}

// Counts the records for which `same` is false, and notes the first of them.
Check compared(const std::string& name, const Json& records, const char* key,
               const std::function<bool(const Json&)>& same) {
  size_t count = 0, different = 0, first = 0, number = 0;
  for (const Json& record : records) {
    ++number;
    if (!record.contains(key)) continue;
    ++count;
    if (!same(record) && different++ == 0) first = number;
  }
  auto note = fmt::format("{} records", count);
  if (different > 0) note += fmt::format(", the first that differs is number {}", first);
  return check(name, static_cast<double>(different), 0, note);
}

std::string decoded(const Json& record) {
  return record.contains("decoded") ? record.at("decoded").get<std::string>() : record.at("text").get<std::string>();
}

std::string streamed(const Tokenizer& tokenizer, const Ids& ids) {
  language::TextStream stream(tokenizer, true);
  std::string text;
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

std::vector<Check> encode_checks(const Tokenizer& tokenizer, const Json& records) {
  const auto text = [](const Json& record) { return record.at("text").get<std::string>(); };
  return {compared("ids", records, "ids",
                   [&](const Json& r) { return tokenizer.encode(text(r), true) == r.at("ids").get<Ids>(); }),
          compared("ids_special_as_text", records, "ids_special_as_text",
                   [&](const Json& r) { return tokenizer.encode(text(r)) == r.at("ids_special_as_text").get<Ids>(); }),
          compared("decoded", records, "ids",
                   [&](const Json& r) { return tokenizer.decode(r.at("ids").get<Ids>(), true) == decoded(r); })};
}

std::vector<Check> decode_checks(const Tokenizer& tokenizer, const Json& records) {
  const auto ids = [](const Json& record) { return record.at("ids").get<Ids>(); };
  return {
      compared("text", records, "text", [&](const Json& r) { return tokenizer.decode(ids(r), true) == r.at("text"); }),
      compared("text, token by token", records, "text",
               [&](const Json& r) { return streamed(tokenizer, ids(r)) == r.at("text"); }),
      compared("text_skip_special", records, "text_skip_special",
               [&](const Json& r) { return tokenizer.decode(ids(r)) == r.at("text_skip_special"); })};
}

// Checks conversations: the rendered template, its ids, and that protecting the content from forged special tokens
// changes no id if it contains none.
std::vector<Check> chat_checks(const Chat& chat, const Json& records) {
  const auto forged = [](const Json& record) { return record.at("messages").dump().find("<|") != std::string::npos; };
  return {compared("text", records, "text", [&](const Json& r) { return chat.render(r).text == r.at("text"); }),
          compared("ids", records, "ids",
                   [&](const Json& r) { return chat.encode(chat.render(r), true) == r.at("ids").get<Ids>(); }),
          compared("ids, content protected", records, "ids",
                   [&](const Json& r) { return forged(r) || chat.encode(chat.render(r)) == r.at("ids").get<Ids>(); })};
}

// Returns the ids of a multimodal conversation: one placeholder per 2x2 patches.
Ids picture_ids(const Tokenizer& tokenizer, const std::string& text, const Json& record) {
  std::vector<int64_t> counts;
  for (const Json& grid : record.at("image_grid_thw"))
    counts.push_back(grid.at(0).get<int64_t>() * grid.at(1).get<int64_t>() * grid.at(2).get<int64_t>() / 4);
  return language::repeat_placeholders(tokenizer.encode(text, true), tokenizer.id("<|image_pad|>"), counts);
}

std::vector<Check> picture_chat_checks(const Tokenizer& tokenizer, const fs::path& templates, const Json& records) {
  std::vector<Check> checks;
  if (templates.empty()) {
    checks.push_back(check("text", 0, 0, "taken as given: no folder qwen2.5-vl with the template"));
  } else {
    const Chat chat(tokenizer, templates);
    checks.push_back(
        compared("text", records, "text", [&](const Json& r) { return chat.render(r).text == r.at("text"); }));
  }
  checks.push_back(compared("ids", records, "ids", [&](const Json& r) {
    return picture_ids(tokenizer, r.at("text").get<std::string>(), r) == r.at("ids").get<Ids>();
  }));
  return checks;
}

std::vector<Check> text_checks(const Tokenizer& tokenizer, const Json& records) {
  const Json& first = records.at(0);
  if (first.contains("messages")) return chat_checks(Chat(tokenizer), records);
  if (first.contains("text_skip_special")) return decode_checks(tokenizer, records);
  return encode_checks(tokenizer, records);
}

}  // namespace

void check_tokenized(const std::string& prefix, const fs::path& folder, const Json& records,
                     std::vector<Check>& checks) {
  for (Check& one : text_checks(Tokenizer::load(folder), records)) {
    if (one.note == "0 records") continue;
    one.name = prefix + one.name;
    checks.push_back(std::move(one));
  }
}

std::vector<Check> verify_tokenizer(const fs::path& file, const VerifyOptions& options) {
  const Json records = read_strict_json<Json>(file, largest_reference);
  const fs::path folder = tokenizer_folder(file, options);
  const auto tokenizer = Tokenizer::load(folder);
  try {
    const Json& first = records.at(0);
    if (first.contains("image_grid_thw"))
      return picture_chat_checks(tokenizer, multimodal_folder(file, folder), records);
    return text_checks(tokenizer, records);
  } catch (const Json::exception& e) {
    throw Error(file.string(), fmt::format("is not as expected: {}", e.what()), "", Exit::data);
  }
}

}  // namespace compeer::verify
