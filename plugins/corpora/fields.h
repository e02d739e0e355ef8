#pragma once
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/dialogue.h"

// Access to the fields of JSON records in published dialogue files. An invalid record throws Refusal with a message for
// the user; the data set leaves the record out and reports the message.

namespace compeer::corpora {

/// Thrown if a record can't be read. The message is a predicate without a subject: "has no list 'dialog'". The catcher
/// puts the record's file and number before it.
class Refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses the JSON text of a record. `offset`: position of `bytes` in the file, for the byte number in messages. Throws
/// Refusal for invalid UTF-8, zero bytes, invalid JSON, or more than 64 levels of nesting.
json parse(std::string_view bytes, uint64_t offset);

/// Throws Refusal if the bytes are not UTF-8 or contain a zero byte; `offset` as for `parse`.
void check_text(std::string_view bytes, uint64_t offset);

/// Returns the text without ASCII white space at its ends.
std::string trimmed(std::string_view text);

/// Returns the text with ASCII letters in lower case.
std::string lowered(std::string text);

/// Return the required member `key` of `object`: a list, an object, or a text (trimmed). Throw Refusal if it is missing
/// or of another type, or `object` is not an object.
const json& list_of(const json& object, const char* key);
const json& object_of(const json& object, const char* key);
std::string text_of(const json& object, const char* key);

/// Returns the optional member `key`, an object; an empty object if it is missing or null. Throws Refusal if it is of
/// another type.
const json& part_of(const json& object, const char* key);

/// Returns the optional member `key`, a number, boolean or text (trimmed); null if it is missing, empty or of another
/// type.
json label(const json& object, const char* key);

/// Returns the optional member `key`, an id, as text, also if it is a number; empty if it is missing.
std::string id_of(const json& object, const char* key);

/// Returns the optional member `key`, a rating, if it is a whole number or a text of digits ("3"); otherwise null.
json scale(const json& object, const char* key);

/// Returns the role of the speaker that the member `key` names. `table`: speaker's name in the file -> role. Throws
/// Refusal that lists the known names if the table does not contain it.
Role role_of(const json& object, const char* key, const std::vector<std::pair<std::string_view, Role>>& table);

/// Calls f(element, index) for each element of a list. If `f` throws Refusal, puts `what` and the element's number,
/// from 1, before its message: "utterance 3 ...".
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
