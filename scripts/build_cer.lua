-- Builds a data set as the paper builds CER: filters dialogues, samples rounds, lets two models reason and reply,
-- annotates, rewrites with other personas, filters again, splits. Runs offline on esc_world in under a minute and
-- prints the counts and figures of each stage. For real data change `source` and `chat` (docs/data.md).
local compeer = require "compeer"

local dialogues, rounds = 200, 5
local source = { plugin = "esc_world", unit = "dialogue", rounds = rounds, train = dialogues }
-- source = { plugin = "esconv", unit = "dialogue", path = "data/ESConv.json" }

-- Returns the chat model of one role. Players with different seeds write different texts and make different errors.
local function chat(seed, more)
  local player = { plugin = "esc_world", seed = seed, world = { rounds = rounds } }
  -- player = { plugin = "openai", url = "http://127.0.0.1:8000/v1", name = "my-model" }
  for key, value in pairs(more or {}) do player[key] = value end
  return player
end

local cer = compeer.experiment {
  name = "cer",
  task = "data",
  ranks = 2,
  dataset = source,
  data = { splits = { "train" } },
  stages = {
    { plugin = "deduplicate" },
    { plugin = "filter", chat = chat(1) },
    { plugin = "sample", rounds = 3 },                              -- Eq. 1
    { plugin = "generate", writer = chat(1), second_writer = chat(2) },
    { plugin = "annotate", annotator = chat(1), second_annotator = chat(2), third_annotator = chat(3) },
    { plugin = "persona", chat = chat(1) },
    { plugin = "cluster" },
    { plugin = "rewrite", chat = chat(1) },                         -- as_persona = false: paraphrases
    { plugin = "filter", label = "filter-again", chat = chat(1), only = "rewritten" },
    { plugin = "split", again = { "train" } },                      -- splits the records of "train"
  },
}

print(cer:launch().stages)
