-- Does a judge that learned from one source work on another? There are two sources in esc_world: the usual one, and one
-- with seekers who are harder to read and writers who err twice as often. A judge of each source is measured on both,
-- for three seeds. Takes twenty-five minutes on two cores; ten after table2.lua, which trains the models of the usual
-- source.
local compeer = require "compeer"
local new_method = require "lib.method"

compeer.study {
  name = "cross",
  seeds = 3,
  rows = {
    { "usual on usual", learned = "usual", tested = "usual" },
    { "usual on harder", learned = "usual", tested = "harder" },
    { "harder on usual", learned = "harder", tested = "usual" },
    { "harder on harder", learned = "harder", tested = "harder" },
  },
  run = function(seed, row)
    local usual = new_method(seed)
    local harder = new_method(seed, {
      name = "harder",
      world = { ambiguity = 0.35 },
      player = { errors = 2.0 },
      start = usual,
    })
    local sources = { usual = usual, harder = harder }
    return usual.run("judge-accuracy", {
      name = "cross-" .. row.learned .. "-" .. row.tested,
      dataset = { path = sources[row.tested].run("judge-data").records },
      ["stages[0].model"] = sources[row.learned].run("esc-world-judge").checkpoint,
    })
  end,
  figures = {
    "history.weighted_f1", "history.false_recall",
    "emotion.weighted_f1", "emotion.false_recall",
    "strategy.weighted_f1", "strategy.false_recall",
    "reply.weighted_f1", "reply.better_or_not", "reply.ranked_within_rounds",
  },
  contrasts = { { "usual on harder", "usual on usual" }, { "harder on harder", "harder on usual" } },
}
