// Finds passwords and API keys by their form, to refuse them in specs and hide them in messages.
#include "spec/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace compeer::spec {

namespace {

constexpr std::string_view hidden = "[hidden]";

// Form of the keys of a well-known service: first characters, and the minimum number of characters that follow.
struct Form {
  std::string_view begin;
  size_t least;
};
constexpr std::array forms = {Form{"sk-", 16},  Form{"hf_", 20},    Form{"ghp_", 20}, Form{"github_pat_", 20},
                              Form{"AKIA", 16}, Form{"xoxb-", 16},  Form{"AIza", 30}, Form{"glpat-", 16},
                              Form{"gsk_", 20}, Form{"Bearer ", 16}};

constexpr std::array key_names = {"api_key",       "apikey",     "api-key",      "password",     "passwd",
                                  "secret",        "token",      "access_token", "key",          "x-api-key",
                                  "client_secret", "auth_token", "bearer",       "authorization"};

struct SecretMatch {
  size_t begin, size;
};
constexpr SecretMatch nowhere{std::string_view::npos, 0};

bool of_key(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.'; }

size_t length(std::string_view text, bool (*is_part)(char)) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_part) - text.begin());
}

// Each of these functions takes time linear in the text, because texts from other hosts may be long.

// Finds a key: a whole word, or the word after "Bearer".
SecretMatch key_in(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size();) {
    const auto word = text.substr(at);
    const size_t size = length(word, of_key);
    if (size > 0 && (at == 0 || !of_key(text[at - 1]))) {
      for (const auto& form : forms) {
        const size_t rest = word.starts_with(form.begin) ? length(word.substr(form.begin.size()), of_key) : 0;
        if (rest < form.least) continue;
        // "Bearer " is kept: without its blank the rest of the text could be split into words differently.
        const size_t kept = form.begin.ends_with(' ') ? form.begin.size() : 0;
        return {at + kept, form.begin.size() - kept + rest};
      }
    }
    at += std::max<size_t>(size, 1);
  }
  return nowhere;
}

// Finds "user:password" in "https://user:password@host".
SecretMatch login_in(std::string_view text, size_t from) {
  constexpr std::string_view behind_scheme = "://";
  for (size_t at = from; (at = text.find(behind_scheme, at)) != std::string_view::npos;) {
    at += behind_scheme.size();
    const auto end = std::min(text.find_first_of("/?#\"'<> \t\r\n", at), text.size());
    const auto sign = text.substr(at, end - at).rfind('@');
    if (sign != std::string_view::npos && sign > 0) return {at, sign};
  }
  return nowhere;
}

// Finds the value in "?api_key=value" of a URL.
SecretMatch query_in(std::string_view text, size_t from) {
  for (size_t at = from; (at = text.find_first_of("?&", at)) != std::string_view::npos;) {
    ++at;
    const auto equals = text.find_first_of("=?&#\"'<> \t\r\n", at);
    if (equals == std::string_view::npos || text[equals] != '=') continue;
    const auto name = text.substr(at, equals - at);
    if (std::find(key_names.begin(), key_names.end(), name) == key_names.end()) continue;
    const auto end = std::min(text.find_first_of("&#\"'<> \t\r\n", equals), text.size());
    if (end > equals + 1) return {equals + 1, end - equals - 1};
  }
  return nowhere;
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), [](unsigned char c) { return std::tolower(c); });
  return all;
}

}  // namespace

std::string secret_in(std::string_view key, const json& value) {
  if (!value.is_string()) return "";
  const std::string_view text = value.get_ref<const std::string&>();
  if (login_in(text, 0).size > 0) return "a user or password in a URL";
  if (text.find("://") != std::string_view::npos && query_in(text, 0).size > 0) return "a key in a URL";
  if (key_in(text, 0).size > 0) return "text that looks like an API key";
  const auto name = lower(key);
  if (text.empty() || std::find(key_names.begin(), key_names.end(), name) == key_names.end()) return "";
  const bool may_be_a_word = name == "key" || name == "token";
  return may_be_a_word && (text.size() < 16 || text.find(' ') != text.npos) ? "" : "a value named like an API key";
}

std::string without_secrets(std::string text) {
  // Logins are searched for twice, since hiding a value may remove a character that ended the host part of a URL.
  for (const auto find : {login_in, query_in, key_in, login_in}) {
    std::string shown;
    size_t done = 0;
    for (SecretMatch found = find(text, 0); found.size > 0; found = find(text, done)) {
      shown.append(text, done, found.begin - done).append(hidden);
      done = found.begin + found.size;
    }
    text = shown.append(text, done);
  }
  return text;
}

}  // namespace compeer::spec
