-- Does a judge carry over from one corpus to another? Judges (adapters of SmolLM2) learn from ESConv or from MESC, and
-- are measured on unseen dialogues of both. The labels differ: ESConv has eight strategies, MESC ten others. Needs
-- models/smollm2, corpora/esconv and corpora/mesc (docs/lab/real_study.md). The judge of ESConv is real_study.lua's.
local compeer = require "compeer"
local new_real = require "lib.real"

compeer.study {
  name = "real_cross",
  seeds = 3,
  kept = "docs/lab/data/real_cross",
  rows = {
    { "ESConv on ESConv" },
    { "ESConv on MESC", tested = "mesc" },
    { "MESC on ESConv", learned = "mesc" },
    { "MESC on MESC", learned = "mesc", tested = "mesc" },
  },
  run = function(seed, row)
    local learned, tested = new_real(seed, row.learned), new_real(seed, row.tested)
    return learned.run("real-accuracy", {
      name = "real-accuracy-" .. row.name:lower(),
      dataset = { path = tested.run("real-records-valid").records },
    })
  end,
  figures = {
    { "history ranked", "history.ranked_within_rounds" },
    { "emotion ranked", "emotion.ranked_within_rounds" },
    { "strategy ranked", "strategy.ranked_within_rounds" },
    { "wrong found", function(result)
      return (result["history.false_recall"] + result["emotion.false_recall"] + result["strategy.false_recall"]) / 3
    end },
    { "better or not", "reply.better_or_not" },
  },
  contrasts = { { "ESConv on MESC", "MESC on MESC" }, { "MESC on ESConv", "ESConv on ESConv" } },
}
