-- The rows of the paper's Tables 2 and 3: chat models without our prompt, the same with it ("R"), models for emotional
-- support, and the paper's own. Those that think before they answer may say more (docs/paper.md).
return {
  { "InternLM3", asked = "internlm3-8b-instruct", thinks = true },
  { "Qwen3", asked = "Qwen3-8B", thinks = true },
  { "Qwen2.5-VL", asked = "Qwen2.5-VL-7B-Instruct" },
  { "InternLM3 R", asked = "internlm3-8b-instruct", reasoning = true, thinks = true },
  { "Qwen3 R", asked = "Qwen3-8B", reasoning = true, thinks = true },
  { "Qwen2.5-VL R", asked = "Qwen2.5-VL-7B-Instruct", reasoning = true },
  { "CPsyCounX", asked = "CPsyCounX" },
  { "SoulChat 2.0", asked = "SoulChat2.0" },
  { "EmoLLM 3.0", asked = "EmoLLM_V3.0" },
  { "SFT", policy = "SFT" },
  { "POR", policy = "POR" },
  { "UR", policy = "UR" },
  { "URP", policy = "URP" },
}
