-- The policies of the paper's Tables 2 and 3 on esc_world, of one seed: { { "SFT", run }, ... }, the method that made them, and
-- what it made on the way. The base model speaks the world's language and was never taught to support; the writers' model imitates
-- them. POR's two judges together get the time that UnifiReward gets. With `judge_only` no policy beyond SFT is made yet.

local half, grpo = { sft = { steps = 150 } }, { steps = 100 }

return function(seed, judge_only)
  local method = require("lib.method")(seed, { name = "study" })
  local sft, cer, base, writers = method.supervised()
  local judge, accuracy = method.judge(sft, cer)
  local function taught(name, more)
    return method.taught(name, sft, judge, accuracy, { grpo = grpo }, more)
  end
  local made = { sft = sft, cer = cer, judge = judge, taught = taught, budget = half, grpo = grpo }
  if judge_only then return {}, method, made end
  return {
    { "base", base }, { "writers", writers }, { "SFT", sft },
    { "POR", method.por(sft, cer, half, { grpo = grpo }) },
    { "UR", taught("ur") },
    { "URP", taught("urp") },
    { "URP signed", taught("urp_signed", { reweighting = { mode = "signed" } }) },
  }, method, made
end
