// Checks one forward pass over all sequences of a reference file.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/verify/text.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

// A bfloat16 run rounds to 8 binary digits after every operation: the reference's own float32 logits differ from it by
// about 1e-2.
constexpr double bfloat16_tolerance = 2e-2;
constexpr const char* rounded_model = "right.logits_bf16_model";

class Forward {
 public:
  Forward(const TextCase& text, std::vector<Check>& checks, const std::string& compute = "float32")
      : text_(text),
        checks_(checks),
        model_({.folder = text.folder,
                .precision = "float32",
                .compute = compute,
                .frozen = false,
                .rotary_precision = text.rotary_precision}),
        rows_(text.sequences, model().shape().vocabulary),
        hidden_(model().forward(rows_.batch, nullptr)),
        logits_(kernels::logits(hidden_, model_.policy->head)) {}

  double logits_error() {
    return padded_difference(logits_, reference_tensor(text_.tensors, text_.logits), text_.logits);
  }

  void run() {
    compare_logits();
    compare_hidden_states();
    for (const char* side : {"right", "left"}) {
      if (text_.golden.contains(side)) compare_side(side);
    }
    compare_best_tokens();
  }

  // Checks a forward pass with products in bfloat16. The note has the error of the reference's own bfloat16 model, if
  // the file contains it.
  void compare_rounded() {
    if (!text_.tensors.has(text_.logits)) return;
    const auto exact = reference_tensor(text_.tensors, text_.logits);
    std::string note = "norm of the difference, relative";
    if (text_.tensors.has(rounded_model))
      note += fmt::format("; of the reference's model in bfloat16 {:.1e}",
                          relative_difference(reference_tensor(text_.tensors, rounded_model), exact));
    checks_.push_back(
        check(text_.logits + ", compute = bfloat16", relative_difference(logits_, exact), bfloat16_tolerance, note));
  }

 private:
  Model& model() { return model_.policy->model; }
  int64_t length(size_t s) const { return static_cast<int64_t>(text_.sequences[s].size()); }

  // Returns the largest difference between our rows [rows, ...] and a reference [B, T, ...] padded at the end.
  double padded_difference(const at::Tensor& ours, const at::Tensor& padded, const std::string& name) {
    double worst = 0;
    for (size_t s = 0; s < text_.sequences.size(); ++s) {
      const auto reference = padded[static_cast<int64_t>(s)].narrow(0, 0, length(s));
      worst = std::max(worst, largest_difference(ours.narrow(0, rows_.starts[s], length(s)), reference, name));
    }
    return worst;
  }

  // Returns the norm of the difference relative to the norm of the padded logits; `ours` are rows, or padded as well.
  double relative_difference(const at::Tensor& ours, const at::Tensor& padded) {
    double difference = 0, norm = 0;
    for (size_t s = 0; s < text_.sequences.size(); ++s) {
      const auto place = static_cast<int64_t>(s);
      const auto reference = padded[place].narrow(0, 0, length(s));
      const auto rows =
          ours.dim() == 2 ? ours.narrow(0, rows_.starts[s], length(s)) : ours[place].narrow(0, 0, length(s));
      difference += (rows - reference).square().sum().item<double>();
      norm += reference.square().sum().item<double>();
    }
    return std::sqrt(difference / norm);
  }

  void compare_logits() {
    if (text_.tensors.has(text_.logits)) {
      const bool rounded = text_.rotary_precision == "bfloat16";
      checks_.push_back(
          check(text_.logits, logits_error(), logit_tolerance,
                fmt::format("{} values{}", logits_.numel(),
                            rounded ? "; with rotary frequencies in bfloat16, as the reference has" : "")));
    }
    if (text_.tensors.has(rounded_model)) {
      const double error = relative_difference(logits_, reference_tensor(text_.tensors, rounded_model));
      checks_.push_back(check(rounded_model, error, bfloat16_tolerance, "norm of the difference, relative"));
    }
  }

  void compare_hidden_states() {
    const std::string name = "right.hidden_states";
    if (!text_.tensors.has(name)) return;
    const auto reference = reference_tensor(text_.tensors, name);
    const auto ours = model().hidden_states(rows_.batch);
    for (size_t layer = 0; layer < ours.size(); ++layer) {
      const auto padded = reference[static_cast<int64_t>(layer)];
      const double error = padded_difference(ours[layer], padded, name);
      checks_.push_back(check(fmt::format("{}[{}]", name, layer), error, logit_tolerance));
    }
  }

  kernels::TokenLogprobs log_probs(double temperature) {
    return kernels::token_logprobs(at::index_select(hidden_, 0, rows_.predicting), model_.policy->head, rows_.targets,
                                   temperature);
  }

  // Compares values [B, T-1] of predicted tokens. A row padded at the start has the same sequence further to the right.
  Check compare_predicted(const std::string& name, const at::Tensor& ours, const json& side, const json& reference) {
    Largest largest;
    int64_t at = 0;
    for (size_t s = 0; s < text_.sequences.size(); ++s) {
      const auto places = places_of(side, s);
      for (size_t i = 0; i + 1 < places.size(); ++i) {
        const double value = ours[at++].item<double>();
        if (side.at("counted").at(s).at(places[i])) largest.compare(value, reference.at(s).at(places[i]));
      }
    }
    return largest.check(name, text_.log_prob_tolerance());
  }

  // Returns the positions of the tokens of sequence s in its padded row, which must match its mask and positions.
  std::vector<size_t> places_of(const json& side, size_t s) {
    std::vector<size_t> places;
    const auto mask = side.at("attention_mask").at(s).get<Ids>(), ids = side.at("input_ids").at(s).get<Ids>();
    for (size_t t = 0; t < mask.size(); ++t) {
      if (mask[t] == 0) continue;
      const bool known = places.size() < text_.sequences[s].size() && ids.at(t) == text_.sequences[s][places.size()];
      const bool placed =
          !side.contains("position_ids") || side.at("position_ids").at(s).at(t).get<size_t>() == places.size();
      if (!known || !placed)
        throw Error((text_.folder / "golden.json").string(), fmt::format("row {} is not sequence {}, padded", s, s), "",
                    Exit::data);
      places.push_back(t);
    }
    return places;
  }

  void compare_side(const std::string& side) {
    const json& reference = text_.golden.at(side);
    const auto plain = log_probs(1.0);
    checks_.push_back(compare_predicted(side + ".logprobs", plain.log_prob, reference, reference.at("logprobs")));
    if (reference.contains("entropy"))
      checks_.push_back(compare_predicted(side + ".entropy", plain.entropy, reference, reference.at("entropy")));
    if (const char* key = "logprobs_temperature_0_7"; reference.contains(key))
      checks_.push_back(compare_predicted(side + "." + key, log_probs(0.7).log_prob, reference, reference.at(key)));
  }

  void compare_best_tokens() {
    if (!text_.golden.contains("top_logprobs")) return;
    Largest largest;
    for (const json& one : text_.golden.at("top_logprobs")) {
      const auto s = one.at("sequence").get<size_t>();
      for (size_t t = 0; t < one.at("ids").size(); ++t) {
        const auto row = logits_[rows_.starts.at(s) + static_cast<int64_t>(t)];
        compare_best(at::log_softmax(row, 0, at::kDouble), one.at("ids").at(t), one.at("logprobs").at(t), largest);
      }
    }
    checks_.push_back(largest.check("top_logprobs", text_.log_prob_tolerance()));
  }

  const TextCase& text_;
  std::vector<Check>& checks_;
  inference::OpenModel model_;
  const PackedSequences rows_;
  const at::Tensor hidden_, logits_;
};

}  // namespace

void find_rotary_precision(TextCase& text) {
  const at::NoGradGuard no_grad;
  std::vector<Check> none;
  const double exact = Forward(text, none).logits_error();
  text.rotary_precision = "bfloat16";
  if (Forward(text, none).logits_error() >= exact) text.rotary_precision = "float32";
}

void check_forward(const TextCase& text, std::vector<Check>& checks) {
  const at::NoGradGuard no_grad;
  Forward(text, checks).run();
  Forward(text, checks, "bfloat16").compare_rounded();
}

}  // namespace compeer::verify
