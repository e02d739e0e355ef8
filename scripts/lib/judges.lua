-- The judges of Table 1. They begin with a policy of another world, and see how it reads.
local new_method = require "lib.method"

-- Teaches the judges of a row with its records, and measures them on those that were not rewritten.
return function(seed, row)
  local start = new_method(1).run "esc-world-cer-sft"
  local method = new_method(seed, { world = seed, errors = 0.6, made = { ["esc-world-cer-sft"] = start } })
  local judges = {}
  for i, view in ipairs(row.judges) do
    judges[i] = method.run("esc-world-" .. view, {
      name = "table1 " .. row.name .. " " .. view,
      dataset = { path = method.run(row.records or "rewritten").records, rewritten = row.rewritten or "left_out" },
      sft = { steps = row.steps, batch = view == "prm" and 48 or 16 }, -- three conversations of PRM are a record
    }).checkpoint
  end
  return method.run("judge-accuracy", {
    name = "table1 " .. row.name,
    dataset = { path = method.run("rewritten").records, rewritten = "left_out" },
    ["stages[0].model"] = judges[1],
    ["stages[0].outcome_model"] = judges[2],
    ["stages[0].by"] = "answer",
  })
end
