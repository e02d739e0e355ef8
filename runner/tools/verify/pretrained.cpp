// Checks of a published model (config, sums of weights, token ids, log-probabilities of given continuations, greedy
// tokens) and of a published sentence encoder (ids, cosines). Their weights are not part of the reference files.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/disk.h"
#include "base/json.h"
#include "compeer/similarity.h"
#include "gguf/import.h"
#include "inference/services.h"
#include "language/chat.h"
#include "language/word_pieces.h"
#include "tools/verify/text.h"
#include "tools/verify/tokenizer.h"
#include "tools/verify/values.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double log_prob_tolerance = 2e-4;  // for a model whose logits reach 30
constexpr double sum_tolerance = 1e-3;       // for the sum over a continuation

// Returns the GGUF file in a folder; empty if there is none or more than one.
fs::path gguf_in(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    if (!found.empty()) return {};
    found = entry.path();
  }
  return found;
}

Check compare_config(const fs::path& model, const json& reference) {
  const auto ours = read_json_object(model / "config.json");
  size_t different = 0;
  std::string first;
  for (const auto& [key, value] : reference.items()) {
    const json& one = ours.contains(key) ? ours.at(key) : json();
    const bool same = value.is_number() && one.is_number()
                          ? std::abs(one.get<double>() - value.get<double>()) <= 1e-6 * std::abs(value.get<double>())
                          : one == value;
    if (!same && different++ == 0) first = ", the first that differs is " + key;
  }
  return check("config", static_cast<double>(different), 0, fmt::format("{} keys{}", reference.size(), first));
}

// Resolves `prompt`: a text, or "chat:2" for the third conversation up to its answer.
class Prompts {
 public:
  Prompts(const fs::path& model, const json& chat) : tokenizer_(language::Tokenizer::load(model)), chat_(tokenizer_) {
    for (const json& one : chat) {  // conversations occur with and without a generation prompt
      const json& messages = one.at("messages");
      if (std::ranges::find(conversations_, messages) == conversations_.end()) conversations_.push_back(messages);
    }
  }

  std::vector<int32_t> ids(const std::string& prompt) const {
    if (!prompt.starts_with("chat:")) return tokenizer_.encode(prompt, true);
    const json& messages = conversations_.at(std::stoul(prompt.substr(5)));
    return chat_.encode(chat_.render({{"messages", messages}, {"add_generation_prompt", true}}));
  }
  std::vector<int32_t> continuation(const std::string& text) const { return tokenizer_.encode(text, true); }
  std::string text(const json& ids) const { return tokenizer_.decode(ids.get<std::vector<int32_t>>(), true); }

 private:
  language::Tokenizer tokenizer_;
  language::Chat chat_;
  std::vector<json> conversations_;
};

// Compares one forward pass over all prompts with their continuations.
void compare_continuations(rollout::Policy& policy, const Prompts& prompts, const json& references,
                           std::vector<Check>& checks) {
  Largest ids, log_probs, sums, best;
  std::vector<Ids> sequences;
  for (const json& one : references) {
    ids.take(prompts.ids(one.at("prompt")) == one.at("prompt_ids") ? 0 : 1);
    ids.take(prompts.continuation(one.at("continuation")) == one.at("continuation_ids") ? 0 : 1);
    sequences.push_back(one.at("prompt_ids").get<Ids>());
    const auto more = one.at("continuation_ids").get<Ids>();
    sequences.back().insert(sequences.back().end(), more.begin(), more.end());
  }
  const PackedSequences rows(sequences, policy.model.shape().vocabulary);
  const auto hidden = policy.model.forward(rows.batch, nullptr);
  const auto ours =
      kernels::token_logprobs(at::index_select(hidden, 0, rows.predicting), policy.head, rows.targets, 1.0).log_prob;
  for (size_t s = 0; s < sequences.size(); ++s) {
    const json& one = references.at(s);
    const auto theirs = one.at("logprobs_float64").get<std::vector<double>>();
    const auto prompt = static_cast<int64_t>(sequences[s].size() - theirs.size());
    const int64_t last = rows.starts[s] + prompt - 1;      // row of the prompt's last token
    const int64_t first = last - static_cast<int64_t>(s);  // the last row of each earlier sequence predicts nothing
    double sum = 0;
    for (size_t t = 0; t < theirs.size(); ++t) {
      const auto value = ours[first + static_cast<int64_t>(t)].item<double>();
      log_probs.compare(value, theirs[t]);
      sum += value;
    }
    sums.compare(sum, one.at("sum_float64").get<double>());
    const auto logits = kernels::logits(hidden.narrow(0, last, 1), policy.head);
    compare_best(at::log_softmax(logits[0], 0, at::kDouble), one.at("top5_ids"), one.at("top5_logprobs"), best);
  }
  checks.push_back(ids.check("continuations.ids", 0, "texts"));
  checks.push_back(log_probs.check("continuations.logprobs", log_prob_tolerance));
  checks.push_back(sums.check("continuations.sums", sum_tolerance));
  checks.push_back(best.check("continuations.top5", log_prob_tolerance));
}

// Compares greedy decoding of all prompts in one batch. `cases`: {prompt, prompt_ids, tokens, text, logprobs}.
void compare_greedy(const std::string& name, rollout::Policy& policy, const Prompts& prompts, const json& cases,
                    const json& new_tokens, std::vector<Check>& checks) {
  json greedy{{"new_tokens", new_tokens}};
  Largest ids, texts;
  for (const json& one : cases) {
    ids.take(prompts.ids(one.at("prompt")) == one.at("prompt_ids") ? 0 : 1);
    texts.take(prompts.text(one.at("tokens")) == one.at("text") ? 0 : 1);
    greedy["prompts"].push_back(one.at("prompt_ids"));
    greedy["tokens"].push_back(one.at("tokens"));
    if (one.contains("logprobs")) greedy["logprobs"].push_back(one.at("logprobs"));
  }
  checks.push_back(ids.check(name + "ids", 0, "prompts"));
  checks.push_back(texts.check(name + "text", 0, "texts"));
  check_greedy(name, policy, greedy, log_prob_tolerance, checks);
}

// Converts {prompts: [...], prompt_ids: [...], ...} to a list of cases.
json cases_of(const json& batch) {
  json cases;
  for (size_t i = 0; i < batch.at("prompts").size(); ++i)
    cases.push_back({{"prompt", batch.at("prompts")[i]},
                     {"prompt_ids", batch.at("prompt_ids").at(i)},
                     {"tokens", batch.at("tokens").at(i)},
                     {"text", batch.at("text").at(i)}});
  return cases;
}

constexpr double cosine = 1e-6;

// Skips texts that contain a special piece: we treat "[MASK]" in a text as plain text, so that it can't be forged.
Check compare_ids(const std::string& name, const language::WordPieces& pieces, const json& records, size_t most) {
  Largest different;
  for (const json& one : records) {
    const auto text = one.at("text").get<std::string>();
    if (text.find("[MASK]") != text.npos || text.find("[CLS]") != text.npos || text.find("[SEP]") != text.npos)
      continue;
    different.take(pieces.encode(text, most) == one.at("ids").get<std::vector<int32_t>>() ? 0 : 1);
  }
  return different.check(name, 0, "texts");
}

}  // namespace

fs::path model_folder(const fs::path& file, const VerifyOptions& options, const fs::path& scratch) {
  const fs::path named = options.models.at(model_name(file));
  if (fs::exists(named / "config.json")) return named;
  const fs::path source = fs::is_directory(named) ? gguf_in(named) : named;
  if (source.empty())
    throw Error(named.string(), "contains no model", "name a folder with config.json, or a GGUF file", Exit::data);
  gguf::import_model({.source = source, .folder = scratch / "model"});
  return scratch / "model";
}

std::vector<Check> verify_pretrained(const fs::path& file, const VerifyOptions& options) {
  const json golden = read_reference(file);
  const Scratch scratch;
  return reading(file, [&] {
    const at::NoGradGuard no_grad;
    const auto folder = model_folder(file, options, scratch.folder());
    std::vector<Check> checks{compare_config(folder, golden.at("config"))};
    check_sums("weights.", folder, golden.at("weights"), checks);
    check_tokenized("encode.", folder, golden.at("encode"), checks);
    check_tokenized("chat.", folder, golden.at("chat"), checks);
    const inference::OpenModel model({.folder = folder});
    const Prompts prompts(folder, golden.at("chat"));
    compare_continuations(*model.policy, prompts, golden.at("continuations"), checks);
    const json& greedy = golden.at("greedy");
    compare_greedy("greedy.", *model.policy, prompts, greedy.at("cases"), greedy.at("new_tokens"), checks);
    if (golden.contains("greedy_batch")) {
      const json& batch = golden.at("greedy_batch");
      compare_greedy("greedy_batch.", *model.policy, prompts, cases_of(batch), batch.at("new_tokens"), checks);
    }
    return checks;
  });
}

std::vector<Check> verify_sentences(const std::filesystem::path& file, const VerifyOptions& options) {
  const json golden = read_reference(file);
  const Scratch scratch;
  return reading(file, [&] {
    const auto folder = model_folder(file, options, scratch.folder());
    const auto pieces = language::WordPieces::load(folder);
    std::vector<Check> checks{
        compare_ids("sentences.ids", pieces, golden.at("sentences"), golden.at("max_seq_length").get<size_t>()),
        compare_ids("wordpiece.ids", pieces, golden.at("wordpiece"), 512)};
    std::vector<std::string> texts;
    for (const json& one : golden.at("sentences")) texts.push_back(one.at("text"));
    const auto services = inference::command_services();
    auto encoder = inference::open_plugin<Similarity>("sentence_encoder", {{"path", folder.string()}}, services);
    const auto ours = encoder.call("compare", [&](Similarity& one) { return one.compare(texts, texts); });
    Largest cosines;
    // Our encoder gives texts without content the zero vector; the reference encodes the special pieces around them.
    const auto empty = [&](size_t i) { return golden.at("sentences").at(i).at("ids").size() <= 2; };
    for (size_t i = 0; i < ours.size(); ++i) {
      for (size_t j = 0; j < ours.size(); ++j)
        if (!empty(i) && !empty(j)) cosines.compare(ours[i][j], golden.at("cosine").at(i).at(j));
    }
    checks.push_back(cosines.check("cosine", cosine));
    return checks;
  });
}

}  // namespace compeer::verify
