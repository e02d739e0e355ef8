-- Table 1 of the paper on esc_world: what judges learn from the same annotated records, each seed in a world of its
-- own. Half an hour on two cores; docs/lab/judges.md says what is compared. (Contradictions, Figure 5:
-- fig5_consistency.lua.)
local compeer = require "compeer"

compeer.study {
  name = "table1",
  seeds = 3,
  rows = { -- PRM and ORM together can have 96 steps in the time that UnifiReward takes for 200
    { "prm + orm", judges = { "prm", "orm" }, steps = 200 },
    { "equal compute", judges = { "prm", "orm" }, steps = 96 },
    { "unifireward", judges = { "judge" }, steps = 200 },
    { "-D", judges = { "judge" }, steps = 400, rewritten = "replaced" },
    { "-R", judges = { "judge" }, steps = 400, rewritten = "kept", records = "rewritten-plain" },
    { "-P", judges = { "judge" }, steps = 400, rewritten = "kept" },
  },
  run = require "lib.judges",
  figures = {
    "history.weighted_f1", "history.false_recall",
    "emotion.weighted_f1", "emotion.false_recall",
    "strategy.weighted_f1", "strategy.false_recall",
    "reply.weighted_f1", "reply.better_or_not", "reply.ranked_within_rounds",
  },
  contrasts = {
    { "unifireward", "prm + orm" },
    { "unifireward", "equal compute" },
    { "-R", "-D" },
    { "-P", "-D" },
  },
}
