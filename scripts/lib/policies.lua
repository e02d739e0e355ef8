-- The policies of the paper's Tables 2 and 3 on esc_world, as rows of a study. POR stands at equal records (each of
-- its two judges learns from as many as UR's one judge, as in the paper) and at equal compute (half as many for each).
local policies = {
  { "base", run = "esc-world-base" },   -- speaks the world's language, and was never taught to support
  { "writers", run = "esc-world-sft" }, -- imitates the writers
  { "SFT", run = "esc-world-cer-sft" },
  { "POR", run = "esc-world-por" },
  { "POR equal compute", run = "esc-world-por", half = true },
  { "UR", run = "esc-world-ur" },
  { "URP", run = "esc-world-urp" },
  { "URP signed", run = "esc-world-urp", mode = "signed" },
}

-- The worlds of these studies: each seed has one.
function policies.method(seed)
  return require "lib.method"(seed, { name = "study", grpo_steps = 100 })
end

-- A judge ("judge", "prm", "orm"); with `half` it learned from half of the records.
function policies.judge(method, view, half)
  local name = "esc-world-" .. view
  return method.run(name, half and { name = name .. "-0.5", sft = { steps = 150 } })
end

-- The policy of a row.
function policies.made(method, row)
  if row.mode then
    return method.run(row.run, { name = row.run .. "-" .. row.mode, reweighting = { mode = row.mode } })
  end
  if not row.half then return method.run(row.run) end
  return method.run(row.run, {
    name = row.run .. "-0.5",
    ["rewards[0].model"] = policies.judge(method, "prm", true).checkpoint,
    ["rewards[1].model"] = policies.judge(method, "orm", true).checkpoint,
  })
end

return policies
