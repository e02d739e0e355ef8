-- What do annotators who err do to a judge? Their agreement (Cohen's kappa) against the judge's F1 on each step,
-- measured on labels of careful annotators, under rising noise. Half an hour on two cores, less after table2.lua.
local compeer = require "compeer"
local new_method = require "lib.method"

local rows = { -- esc_world's annotators give a wrong verdict in a tenth of the cases, if nothing else is said
  { "noise 0", variant = "noise-0", noise = 0.0 },
  { "noise .1" }, -- as in table2.lua
  { "noise .3", variant = "noise-0.3", noise = 0.3 },
}

-- The method with the annotators of a row. All judges begin with the same reader, and see how it reads.
local function annotated(seed, row)
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
  run = function(seed, row) return annotated(seed, row).run("cer-small"):stage "annotate" end,
  figures = { "history.cohen", "emotion.cohen", "strategy.cohen", "preference.cohen" },
}

compeer.study {
  name = "judges",
  seeds = 3,
  rows = rows,
  run = function(seed, row)
    local careful = annotated(seed, rows[1])
    return careful.run("judge-accuracy", {
      name = "agreement " .. row.name,
      dataset = { path = careful.run("judge-data").records },
      ["stages[0].model"] = annotated(seed, row).run("esc-world-judge").checkpoint,
    })
  end,
  figures = { "history.weighted_f1", "emotion.weighted_f1", "strategy.weighted_f1", "reply.better_or_not" },
  against = "noise 0",
}
