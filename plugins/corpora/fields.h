#pragma once
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/dialogue.h"

namespace compeer::corpora {

/// Why a record can't be read, in words that follow its place: "has no list 'dialog'".
class Refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bytes as JSON. They stand at `offset` in their file: a refusal names the byte at which the text breaks.
/// Refused: what is no UTF-8, holds a zero byte, is no JSON, nests more than 64 levels.
json parse(std::string_view bytes, uint64_t offset);

/// Refuses bytes that are no UTF-8, or zero.
void check_text(std::string_view bytes, uint64_t offset);

/// Without white space at both ends.
std::string trimmed(std::string_view text);

/// ASCII letters in lower case.
std::string lowered(std::string text);

/// What a record must have. Refused if it is not there, or is something else.
const json& list_of(const json& object, const char* key);
const json& object_of(const json& object, const char* key);
std::string text_of(const json& object, const char* key);

/// What it may have: an empty object if it is not there, or null. Refused if it is something else.
const json& part_of(const json& object, const char* key);

/// What it may have. Null if it is not there, or empty; texts are trimmed.
json label(const json& object, const char* key);

/// An id, which some corpora write as a number; empty if there is none.
std::string id_of(const json& object, const char* key);

/// A whole number, which some corpora write as text: "3". Null if it is neither.
json scale(const json& object, const char* key);

/// The role of a speaker; refuses one that isn't in the table, naming those that are.
Role role_of(const json& object, const char* key, const std::vector<std::pair<std::string_view, Role>>& table);

/// f(element, index) for each element; what it refuses is told with the element's number, from 1: "utterance 3 ...".
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
