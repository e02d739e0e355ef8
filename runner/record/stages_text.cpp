#include "record/stages_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "spec/text.h"

namespace compeer::record {

using nlohmann::json;

namespace {

constexpr size_t most_counts = 8;  // of a stage; some count every pair of labels

std::string listed(const json& numbers) {
  std::string text;
  for (const auto& [name, value] : numbers.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec::printable(name, 80), value.dump());
  return text;
}

std::string counted(const json& counts) {
  if (counts.size() > most_counts) return fmt::format("{} things, in summary.json", counts.size());
  json whole = json::object();  // 3, not 3.0
  for (const auto& [name, value] : counts.items()) {
    const double number = value.get<double>();
    whole[name] = std::trunc(number) == number && std::abs(number) < 1e15 ? json(static_cast<int64_t>(number)) : value;
  }
  return listed(whole);
}

std::string chats(const json& chats) {
  const auto number = [&](const char* name) { return chats.value(name, int64_t{0}); };
  if (number("asked") + number("known") == 0) return "";
  auto text = fmt::format("asked {}, from memory {}, no answer {}", number("asked"), number("known"), number("failed"));
  if (number("prompt_tokens") + number("completion_tokens") > 0)
    text += fmt::format("; tokens: {} asked, {} answered", number("prompt_tokens"), number("completion_tokens"));
  if (chats.value("cost", 0.0) > 0) text += fmt::format("; cost {:.4f}", chats.at("cost").get<double>());
  return text;
}

// What the whole run has paid for, however often it was started.
std::string paid(const json& models) {
  std::string text;
  for (const auto& [model, sum] : models.items()) {
    text += fmt::format("asked {} in all: {} requests, {} failed; {} tokens asked, {} answered",
                        spec::printable(model, 80), sum.value("requests", int64_t{0}), sum.value("failed", int64_t{0}),
                        sum.value("prompt_tokens", int64_t{0}), sum.value("completion_tokens", int64_t{0}));
    if (sum.value("cost", 0.0) > 0) text += fmt::format("; cost {:.4f}", sum.at("cost").get<double>());
    text += '\n';
  }
  return text;
}

std::string name_of(const json& stage) { return spec::printable(stage.at("stage").get<std::string>(), 100); }

void add(const char* title, const std::string& what, std::string& text) {
  if (!what.empty()) text += fmt::format("  {}: {}\n", title, what);
}

}  // namespace

std::string stages_text(const json& details) {
  if (!details.is_object() || !details.contains("stages")) return "";
  const json& stages = details.at("stages");
  size_t widest = 5;
  for (const json& stage : stages) widest = std::max(widest, name_of(stage).size());
  std::string text = fmt::format("{:<{}}  {:>9} {:>9} {:>9}\n", "stage", widest, "in", "out", "dropped");
  for (const json& stage : stages) {
    uint64_t dropped = 0;
    for (const json& count : stage.at("dropped")) dropped += whole<uint64_t>(count);
    text +=
        fmt::format("{:<{}}  {:>9} {:>9} {:>9}{}\n", name_of(stage), widest, whole<int64_t>(stage.at("in")),
                    whole<int64_t>(stage.at("out")), dropped, stage.at("reused").get<bool>() ? "  (made before)" : "");
    add("dropped", listed(stage.at("dropped")), text);
    add("counted", counted(stage.at("counts")), text);
    add("chat models", chats(stage.at("chats")), text);
  }
  return text + paid(details.value("chats", json::object()));
}

}  // namespace compeer::record
