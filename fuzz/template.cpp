// Input: a chat template. It is rendered for a conversation that uses every feature.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "language/jinja/template.h"

namespace {

compeer::language::jinja::Variables variables() {
  const auto json = nlohmann::ordered_json::parse(R"({
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "h\u00e9llo\n\n \u4f60"},
                 {"role": "assistant", "content": null,
                  "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]},
                 {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "a</think>b"}]}],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"a": [1, 2.5, true, null]}}}],
    "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>", "n": 3, "s": "text", "l": [3, 1, 2]})");
  compeer::language::jinja::Variables all;
  for (const auto& [name, value] : json.items()) all.emplace_back(name, compeer::language::jinja::value_of(value));
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto given = variables();
  try {
    const compeer::language::jinja::Template made({reinterpret_cast<const char*>(data), size}, "template");
    const auto text = made.render(given, 0);
    const auto spans = text.data();
    for (size_t i = 0; i < spans.size(); ++i) {
      const bool apart = i == 0 || spans[i - 1].end < spans[i].begin;
      if (!apart || spans[i].begin >= spans[i].end || spans[i].end > text.size()) __builtin_trap();
    }
    if (compeer::language::valid_utf8(text.bytes()) != text.bytes()) __builtin_trap();
  } catch (const compeer::Error& error) {
    if (error.exit() != compeer::Exit::data) throw;
  }
  return 0;
}
