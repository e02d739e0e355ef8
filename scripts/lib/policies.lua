-- The policies of the paper's Tables 2 and 3 on esc_world, of one seed: { { "SFT", run }, ... }, the method that made them, and
-- what it made on the way. The base model speaks the world's language and was never taught to support; the writers' model imitates
-- them. POR stands at equal records (each of its two judges learns from those that UR's one judge has, as in the paper) and at equal
-- compute (half as many for each, so that the two together take as long). With `judge_only` no policy beyond SFT is made yet.

local half, grpo = 0.5, { steps = 100 }

return function(seed, judge_only)
  local method = require("lib.method")(seed, { name = "study" })
  local sft, cer, base, writers = method.supervised()
  local judge, accuracy = method.judge(sft, cer)
  local function taught(name, more)
    return method.taught(name, sft, judge, accuracy, { grpo = grpo }, more)
  end
  local made = { sft = sft, cer = cer, judge = judge, taught = taught, half = half, grpo = grpo }
  if judge_only then return {}, method, made end
  return {
    { "base", base }, { "writers", writers }, { "SFT", sft },
    { "POR", method.por(sft, cer, nil, { grpo = grpo }) },
    { "POR equal compute", method.por(sft, cer, half, { grpo = grpo }) },
    { "UR", taught("ur") },
    { "URP", taught("urp") },
    { "URP signed", taught("urp_signed", { reweighting = { mode = "signed" } }) },
  }, method, made
end
