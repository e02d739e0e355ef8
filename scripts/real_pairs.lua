-- Sixty pairs of replies by the policies of real_study.lua, for people to compare on a page that doesn't say whose they
-- are: UR against the base, SFT and URP. The last line says how to show them (docs/annotating.md).
local compeer = require "compeer"

local compared = require("lib.real")(1).run "real-pairs"
if compeer.quick then print("with --quick policies hardly reply yet, so that there may be nothing to judge") end
print("compeer data annotate " .. compared.records .. " --out " .. compeer.folder .. "/real-pairs/notes")
