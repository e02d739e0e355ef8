-- Sixty pairs of replies by the policies of real_study.lua, for blind comparison by people: UR against the base, SFT
-- and URP. The last line prints how to show the pairs (docs/annotating.md).
local compeer = require "compeer"

local compared = require("lib.real")(1).run "real-pairs"
if compeer.quick then print("with --quick policies hardly reply yet, so that there may be nothing to judge") end
print("compeer data annotate " .. compared.records .. " --out " .. compeer.folder .. "/real-pairs/notes")
