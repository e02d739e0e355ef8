// The importance ratio, the token losses of GRPO and its variants, and the KL estimators.
#include "grpo/losses.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "grpo/functions.h"

namespace compeer::grpo {

namespace {

// VESPO: bounds of the log-ratio of a whole completion, which keep phi finite: log(1e-8) and 20.
constexpr double lower_limit = -18.420680743952367, upper_limit = 20.0;

at::Tensor by_sign(const at::Tensor& advantage, double positive, double negative) {
  return at::where(advantage.ge(0), at::full_like(advantage, positive), at::full_like(advantage, negative));
}

// Mask (1 or 0) of the `count` unmasked positions with the largest `score`.
at::Tensor largest(const at::Tensor& score, const at::Tensor& mask, int64_t count) {
  const auto flat = score.masked_fill(mask.eq(0), -INFINITY).flatten();
  const auto chosen = std::get<1>(flat.topk(std::min(count, flat.numel())));
  return at::zeros_like(flat).index_fill_(0, chosen, 1.0).view_as(mask) * mask;
}

int64_t share_of(double share, const at::Tensor& mask) {
  return std::max<int64_t>(1, static_cast<int64_t>(share * mask.sum().item<double>()));
}

}  // namespace

at::Tensor ratio(const Completions& c, Level level) {
  const auto log_ratio = c.log_prob - c.old_log_prob;
  switch (level) {
    case Level::token:
      return exact_exp(log_ratio.masked_fill(c.mask.eq(0), 0.0));
    case Level::sequence:
      return exact_exp(row_mean(log_ratio, c.mask));
    case Level::sequence_product:
      return exact_exp(row_sum(log_ratio, c.mask).clamp(-most_log_product, most_log_product));
  }
  TORCH_CHECK(false, "no such level");
}

at::Tensor clipped(const Completions& c, const at::Tensor& ratio, const Clip& clip) {
  const auto cut = ratio.clamp(1.0 - clip.low, 1.0 + clip.high) * c.advantage;
  const auto plain = (clip.delta > 0 ? ratio.clamp_max(clip.delta) : ratio) * c.advantage;
  const auto loss = -at::minimum(plain, cut);
  if (clip.dual <= 1) return loss;
  return at::where(c.advantage.lt(0), at::minimum(loss, -clip.dual * c.advantage), loss);
}

at::Tensor cispo(const Completions& c, const at::Tensor& ratio, const Cispo& limits) {
  return -ratio.clamp(limits.min, limits.max).detach() * c.advantage * c.log_prob;
}

at::Tensor sapo(const Completions& c, const at::Tensor& ratio, const Sapo& temperature) {
  const auto t = at::where(c.advantage.gt(0), at::full_like(c.advantage, temperature.positive),
                           at::full_like(c.advantage, temperature.negative));
  return -(t * (ratio - 1.0)).sigmoid() * (4.0 / t) * c.advantage;
}

at::Tensor vespo_phi(const Completions& c, const Vespo& settings, const at::Tensor& correction) {
  auto log_w = row_sum((c.log_prob - c.old_log_prob).detach().clamp(-upper_limit, upper_limit), c.mask);
  if (correction.defined()) log_w = log_w + exact_log(correction).clamp(lower_limit, upper_limit).sum(1, true);
  log_w = log_w.clamp(lower_limit, upper_limit);
  const auto k = by_sign(c.advantage, settings.k_positive, settings.k_negative);
  const auto lambda = by_sign(c.advantage, settings.lambda_positive, settings.lambda_negative);
  return exact_exp(lambda + k * log_w - lambda * exact_exp(log_w));
}

at::Tensor vespo(const Completions& c, const Vespo& settings, const at::Tensor& correction) {
  return -vespo_phi(c, settings, correction) * c.advantage * c.log_prob;
}

at::Tensor covariance(const Completions& c) {
  const auto tokens = c.mask.sum().clamp_min(1.0);
  const auto centred = [&](const at::Tensor& x) { return x - (x * c.mask).sum() / tokens; };
  const auto log_prob = c.log_prob.detach().masked_fill(c.mask.eq(0), 0.0);
  return centred(c.advantage.expand_as(c.mask)) * centred(log_prob);
}

at::Tensor clip_cov(const Completions& c, const at::Tensor& ratio, const Clip& clip, const ClipCov& settings,
                    const at::Tensor& order) {
  const auto plain = ratio * c.advantage, cut = ratio.clamp(1.0 - clip.low, 1.0 + clip.high) * c.advantage;
  const auto cov = covariance(c);
  const auto eligible = cov.gt(settings.low).logical_and(cov.lt(settings.high)).logical_and(cut.ge(plain)) * c.mask;
  const auto count = std::min(share_of(settings.share, c.mask), eligible.sum().item<int64_t>());
  return -at::minimum(plain, cut) * (1.0 - largest(-order, eligible, count));
}

at::Tensor kl_cov(const Completions& c, const at::Tensor& ratio, const KlCov& settings) {
  const auto chosen = largest(covariance(c), c.mask, share_of(settings.share, c.mask));
  return -ratio * c.advantage + chosen * settings.coefficient * (c.log_prob - c.old_log_prob).abs();
}

at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits) {
  const auto d = (log_prob - reference).clamp(-limits.difference, limits.difference);
  const auto estimate = estimator == Estimator::k1   ? d
                        : estimator == Estimator::k2 ? d.square() / 2
                                                     : exact_exp(-d) + d - 1;
  return estimate.clamp(-limits.estimate, limits.estimate);
}

}  // namespace compeer::grpo
