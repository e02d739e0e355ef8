-- Table 3 of the paper on esc_world: SAGE, where a simulated seeker tells after each reply how it feels. Mean emotion at the
-- end, shares of dialogues that end at 100 (success) and below 10 (failure), rounds. Over three seeds; the policies are those
-- of table2.lua, which both make if they are not there. About forty minutes on two cores, three minutes after table2.lua. The seeker is
-- more patient than esc_world's usual one, who despairs of all of them.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds = compeer.quick and 1 or 3

local rows = require("lib.rows")()
for seed = 1, seeds do
  local these, method = policies(seed)
  for _, policy in ipairs(these) do
    rows.add(policy[1], method.played("sage", policy[1], { plugin = "local", path = policy[2].checkpoint },
      { rounds = 20, simulator = { emotion_rest = 0.2 } }))
  end
end

rows.show({
  { "mean emotion", "01-sage/mean_emotion/value", better = 1 }, { "success", "01-sage/success/value", better = 1 },
  { "failure", "01-sage/failure/value", better = -1 }, { "rounds", "01-sage/rounds/value" },
  { "true quality", "03-world_truth/quality/value", better = 1 },
  { "repetition", "02-diversity/repetition/value", better = -1 } }, "SFT")
compeer.report { title = "SAGE on esc_world", output = compeer.folder .. "/table3.html", runs = rows.runs }
