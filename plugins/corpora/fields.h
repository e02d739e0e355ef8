#pragma once
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/dialogue.h"

namespace compeer::corpora {

/// Thrown if a record can't be read. The message continues the record's position: "has no list 'dialog'".
class Refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses JSON. `offset` is the position of `bytes` in the file, for the byte number in messages. Throws Refusal for
/// invalid UTF-8, zero bytes, invalid JSON, or more than 64 levels of nesting.
json parse(std::string_view bytes, uint64_t offset);

/// Throws Refusal if the bytes are not UTF-8 or contain a zero byte.
void check_text(std::string_view bytes, uint64_t offset);

/// Returns the text without white space at its ends.
std::string trimmed(std::string_view text);

/// Returns the text with ASCII letters in lower case.
std::string lowered(std::string text);

/// Return a required member. Throw Refusal if it is missing or of another type. Texts are trimmed.
const json& list_of(const json& object, const char* key);
const json& object_of(const json& object, const char* key);
std::string text_of(const json& object, const char* key);

/// Returns an optional member; an empty object if it is missing or null. Throws Refusal if it is of another type.
const json& part_of(const json& object, const char* key);

/// Returns an optional number, boolean or text (trimmed); null if it is missing, empty or of another type.
json label(const json& object, const char* key);

/// Returns an id as text, also if it is a number; empty if it is missing.
std::string id_of(const json& object, const char* key);

/// Returns a whole number, also if it is written as text ("3"); null otherwise.
json scale(const json& object, const char* key);

/// Returns the role of a speaker. Throws Refusal if the name is not in the table, and lists the known ones.
Role role_of(const json& object, const char* key, const std::vector<std::pair<std::string_view, Role>>& table);

/// Calls f(element, index) for each element. Prefixes the message of a Refusal with the element's 1-based number:
/// "utterance 3 ...".
template <class F>
void each(const json& list, const char* what, F&& f) {
  for (size_t i = 0; i < list.size(); ++i) {
    try {
      f(list[i], i);
    } catch (const Refusal& refusal) {
      throw Refusal(std::string(what) + " " + std::to_string(i + 1) + " " + refusal.what());
    }
  }
}

}  // namespace compeer::corpora
