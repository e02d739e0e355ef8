-- Effect of annotators' errors on a judge: the annotators' agreement (Cohen's kappa) and the judge's F1 on each step,
-- measured on labels of careful annotators, for rising noise. Takes half an hour on two cores, less after table2.lua.
local compeer = require "compeer"
local new_method = require "lib.method"

local rows = { -- the default noise of esc_world's annotators is 0.1: a tenth of the verdicts is wrong
  { "noise 0", variant = "noise-0", noise = 0.0 },
  { "noise .1" }, -- as in table2.lua
  { "noise .3", variant = "noise-0.3", noise = 0.3 },
}

-- Returns the method with a row's annotators. All judges start from the same reader, and are shown its steps.
local function method_with_annotators(seed, row)
  return new_method(seed, {
    name = row.variant,
    player = { annotator_noise = row.noise },
    start = new_method(seed),
  })
end

compeer.study {
  name = "agreement",
  seeds = 3,
  rows = rows,
  run = function(seed, row) return method_with_annotators(seed, row).run("cer-small"):stage "annotate" end,
  figures = { "history.cohen", "emotion.cohen", "strategy.cohen", "preference.cohen" },
}

compeer.study {
  name = "judges",
  seeds = 3,
  rows = rows,
  run = function(seed, row)
    local careful = method_with_annotators(seed, rows[1])
    return careful.run("judge-accuracy", {
      name = "agreement " .. row.name,
      dataset = { path = careful.run("judge-data").records },
      ["stages[0].model"] = method_with_annotators(seed, row).run("esc-world-judge").checkpoint,
    })
  end,
  figures = { "history.weighted_f1", "emotion.weighted_f1", "strategy.weighted_f1", "reply.better_or_not" },
  against = "noise 0",
}
