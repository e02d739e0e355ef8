-- Table 2 of the paper on esc_world: five-round dialogues with 400 new seekers, scored on ESC-Eval's seven dimensions
-- (0 to 100), by the world's truth, and for repetition. Each seed has its own world, models, data, judges and policies.
-- Takes fifteen minutes a seed on two cores. The figures of each seed are kept: the study can be interrupted, continued
-- later, and extended by seeds from other machines. To use chat models of your own: docs/evaluations.md.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

local quality, both = { "true quality", "average" }, { "true quality", "repetition" }

compeer.study {
  name = "table2",
  seeds = 16,
  kept = "docs/lab/data/table2",
  rows = policies,
  run = function(seed, row)
    local method = new_method(seed)
    local policy = method.run(row.run, row.changes).checkpoint
    return method.run("esc_eval", { name = "esc_eval-" .. row.name, ["stages[0].supporter.path"] = policy })
  end,
  figures = {
    { "Fluency", "esc_eval.fluency" }, { "Expression", "esc_eval.diversity" }, { "Empathy", "esc_eval.empathic" },
    { "Information", "esc_eval.suggestion" }, { "Humanoid", "esc_eval.human" }, { "Skillful", "esc_eval.tech" },
    { "Overall", "esc_eval.overall" }, { "average", "esc_eval.average" },
    { "true quality", "world_truth.quality" }, { "grammatical", "world_truth.grammatical" },
    { "follows", "world_truth.follows" },
    { "repetition", "diversity.repetition", better = "lower" }, { "self-BLEU", "self_bleu", better = "lower" },
    { "distinct-2", "dialogue_distinct_2" }, { "words a reply", "diversity.length", better = "neither" },
  },
  contrasts = { -- fixed before any seed was run
    { "SFT", "base", quality }, { "POR", "SFT", quality }, { "UR", "SFT", quality }, { "UR", "POR", quality },
    { "UR", "format only", quality }, { "URP", "UR", both }, { "URP as in the paper", "UR", both },
  },
}
