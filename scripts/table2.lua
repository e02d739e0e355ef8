-- Table 2 of the paper on esc_world: dialogues of five rounds with seekers no model has met, scored on ESC-Eval's seven
-- dimensions (0 to 100), what is true of them, and how much they repeat. Over three seeds, each with a world, data, judges and
-- policies of its own. POR at the records of UR's judge, and at its compute. About forty minutes on two cores. With chat models of your own: docs/evaluations.md.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds = compeer.quick and 1 or 3

local rows = require("lib.rows")()
for seed = 1, seeds do
  local these, method = policies(seed)
  for _, policy in ipairs(these) do
    rows.add(policy[1], method.played("esc_eval", policy[1], { plugin = "local", path = policy[2].checkpoint }))
  end
end

local columns = {}
for i, name in ipairs { "fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall", "average" } do
  local titles = { "Fluency", "Expression", "Empathy", "Information", "Humanoid", "Skillful", "Overall", "average" }
  columns[i] = { titles[i], ("01-esc_eval/%s/value"):format(name), better = 1 }
end
rows.show(columns, "SFT")
print()
rows.show({
  { "true quality", "03-world_truth/quality/value", better = 1 }, { "grammatical", "03-world_truth/grammatical/value", better = 1 },
  { "repetition", "02-diversity/repetition/value", better = -1 }, { "self-BLEU", "02-diversity/self_bleu/value", better = -1 },
  { "distinct-2", "02-diversity/dialogue_distinct_2/value", better = 1 }, { "words a reply", "02-diversity/length/value" } }, "SFT")
compeer.report { title = "ESC-Eval on esc_world", output = compeer.folder .. "/table2.html", runs = rows.runs }
