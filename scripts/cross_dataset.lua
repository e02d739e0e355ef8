-- Does a judge that learned from one source judge another? Two sources of esc_world: the usual one, and one whose seekers are
-- harder to read and whose writers err twice as often. A judge of each, measured on both, over three seeds. Some twenty-five
-- minutes on two cores; ten after table2.lua, whose policies and judges those of the usual source are.
local compeer = require "compeer"
local new = require "lib.method"
local seeds = compeer.quick and 1 or 3
local usual = { name = "study" }
local sources = { usual, { name = "harder", world = { ambiguity = 0.35 }, player = { errors = 2.0 } } }

local rows = require("lib.rows")()
for seed = 1, seeds do
  local sft = new(seed, usual).supervised() -- both judges begin with it and see how it reads
  local data, judges = {}, {}
  for i, source in ipairs(sources) do
    local method = new(seed, source)
    local cer = method.cer()
    data[i], judges[i] = method.judge_data(sft, cer), method.taught_judge("unifireward", sft, cer)
  end
  for i, learned in ipairs { "usual", "harder" } do
    for k, tested in ipairs { "usual", "harder" } do
      local run = new(seed).measured(("cross-%s-%s"):format(learned, tested), data[k], {
        { plugin = "reward_accuracy", model = judges[i].checkpoint, reads = true, by = "likelihood" } })
      rows.add(("%s on %s"):format(learned, tested), run)
    end
  end
end

rows.show(require "lib.judged")
