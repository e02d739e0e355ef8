-- Published variants of GRPO, each defined by its settings, on esc_world with the truth as reward and without
-- reweighting. Each row is a variant; add your own. Takes about forty minutes on two cores. docs/specs.md explains the
-- settings.
local compeer = require "compeer"

-- With --quick: an untrained model, and rewards that differ between its completions.
local rewards = { { plugin = "length" }, { plugin = "format" } }
local base = compeer.load("experiments/smoke_grpo.toml"):with { rewards = rewards }
if not compeer.quick then
  local writers = compeer.load("experiments/esc_world_base.toml"):launch()
  local sft = compeer.load("experiments/esc_world_sft.toml"):with({ model = { path = writers.checkpoint } }):launch()
  base = compeer.load("experiments/esc_world_grpo.toml"):with { model = { path = sft.checkpoint } }
end
base = base:with { reweighting = { plugin = "none" }, grpo = { steps = compeer.quick and 2 or 160 } }

compeer.study {
  name = "GRPO variants",
  seeds = 3,
  rows = {
    { "GRPO", grpo = {} },
    { "clip-higher", grpo = { loss = "dapo", clip_low = 0.2, clip_high = 0.28 } }, -- DAPO
    { "dual-clip", grpo = { updates = 2, dual_clip = 3 } },
    { "KL-in-the-reward", grpo = { beta = 0.02, kl_in = "reward", kl_estimator = "k1" } }, -- as in PPO
    { "unbiased-KL", grpo = { beta = 0.02, kl_times_ratio = true } }, -- DeepSeek-V3.2
    { "bounded-KL", grpo = { beta = 0.02, kl_difference_limit = 10, kl_limit = 10 } },
    { "off-policy-mask", grpo = { updates = 2, off_policy_limit = 0.1 } }, -- DeepSeek-V3.2
    { "entropy-held", grpo = { entropy_target = 0.4, entropy_step = 0.001, entropy_bonus_max = 0.02 } }, -- Skywork-OR1
    { "bounded-advantages", grpo = { advantage_min = -2, advantage_max = 2, divisor_floor = 0.1 } },
    { "GDPO", grpo = { combine = "gdpo" } }, -- normalises each reward separately
  },
  run = function(seed, row)
    return base:with({ name = row.name .. "-" .. seed, seed = seed }):with { grpo = row.grpo }
  end,
  figures = { "reward", "entropy", "distinct_2", { "gradient", "grad_norm", better = "neither" } },
  against = "GRPO",
}
