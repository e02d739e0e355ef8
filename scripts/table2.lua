-- Table 2 of the paper on esc_world: dialogues of five rounds with seekers whom no policy has met, scored on
-- ESC-Eval's seven dimensions (0 to 100), what is true of them, and how much they repeat. Every seed has a world,
-- data, judges and policies of its own. Forty minutes on two cores. With chat models of your own: docs/evaluations.md.
local compeer = require "compeer"
local policies = require "lib.policies"

local study = compeer.study {
  name = "table2",
  seeds = 3,
  rows = policies,
  run = function(seed, row)
    local method = policies.method(seed)
    local policy = method.run(row.run).checkpoint
    return method.run("esc_eval", { name = "esc_eval-" .. row.name, ["stages[0].supporter.path"] = policy })
  end,
  figures = {
    { "Fluency", "esc_eval.fluency" }, { "Expression", "esc_eval.diversity" }, { "Empathy", "esc_eval.empathic" },
    { "Information", "esc_eval.suggestion" }, { "Humanoid", "esc_eval.human" }, { "Skillful", "esc_eval.tech" },
    { "Overall", "esc_eval.overall" }, { "average", "esc_eval.average" },
    { "true quality", "world_truth.quality" }, { "grammatical", "world_truth.grammatical" },
    { "repetition", "diversity.repetition", better = "lower" }, { "self-BLEU", "self_bleu", better = "lower" },
    { "distinct-2", "dialogue_distinct_2" }, { "words a reply", "diversity.length", better = "neither" },
  },
  against = "SFT",
}
compeer.report { title = "ESC-Eval on esc_world", output = compeer.folder .. "/table2.html", runs = study.runs }
