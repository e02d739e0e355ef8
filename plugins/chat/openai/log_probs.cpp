#include "openai/log_probs.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace compeer::openai {

namespace {

using nlohmann::json;

// Without what stands before an answer, in small letters: " True" and "true" say the same.
std::string plain(std::string text) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) || c >= 0x80; };
  text.erase(text.begin(), std::find_if(text.begin(), text.end(), letter));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The one choice that an answer beginning with this token means.
std::optional<size_t> meant(const std::string& token, const std::vector<std::string>& choices) {
  const auto said = plain(token);
  std::optional<size_t> found;
  for (size_t i = 0; i < choices.size() && !said.empty(); ++i) {
    const auto choice = plain(choices[i]);
    if (!choice.starts_with(said) && !said.starts_with(choice)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

double log_prob_in(const json& token) {
  const double value = token.at("logprob").get<double>();
  if (!(value <= 1e-3)) throw std::runtime_error("one of its log-probabilities is above 0");
  return std::max(value, -100.0);  // some endpoints write -9999, or less
}

// The token in which the answer begins: behind the third quote of {"answer": "..."}, else with the first letter.
size_t begin_of(const std::vector<AnswerToken>& tokens) {
  std::string all;
  for (const auto& token : tokens) all += token.text;
  size_t from = 0;
  if (const auto first = all.find_first_not_of(" \t\r\n"); first != std::string::npos && all[first] == '{') {
    for (int quote = 0; quote < 3 && from != std::string::npos; ++quote) from = all.find('"', from + (quote > 0));
  }
  if (from == std::string::npos) return tokens.size();
  const size_t at = all.size() - plain(all.substr(from)).size();
  size_t end = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    end += tokens[i].text.size();
    if (end > at) return i;
  }
  return tokens.size();
}

}  // namespace

void add_tokens(const json& content, std::vector<AnswerToken>& tokens) {
  for (const json& one : content) {
    AnswerToken token{one.at("token").get<std::string>(), {}};
    const json alternatives = one.value("top_logprobs", json::array());
    for (const json& other : alternatives)
      token.alternatives.emplace_back(other.at("token").get<std::string>(), log_prob_in(other));
    const bool told = std::any_of(token.alternatives.begin(), token.alternatives.end(),
                                  [&](const auto& other) { return other.first == token.text; });
    if (!told) token.alternatives.emplace_back(token.text, log_prob_in(one));
    tokens.push_back(std::move(token));
  }
}

std::vector<double> log_probs_of(const std::vector<std::string>& choices, const std::vector<AnswerToken>& tokens) {
  const size_t at = begin_of(tokens);
  if (at == tokens.size() || !meant(tokens[at].text, choices)) return {};
  std::vector<std::optional<double>> likely(choices.size());
  double told = 0, least = 1;
  for (const auto& [text, log_prob] : tokens[at].alternatives) {
    told += std::exp(log_prob);
    least = std::min(least, std::exp(log_prob));
    const auto choice = meant(text, choices);
    if (!choice) continue;
    auto& sum = likely[*choice];
    sum = sum ? std::log(std::exp(*sum) + std::exp(log_prob)) : log_prob;
  }
  // What isn't told is less likely than all that is, and than what that leaves.
  const double rest = std::log(std::max(std::min(least, 1 - told), 1e-12));
  std::vector<double> all;
  for (const auto& one : likely) all.push_back(one.value_or(rest));
  return all;
}

}  // namespace compeer::openai
