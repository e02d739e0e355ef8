-- Collects the runs of several seeds as the rows of lib.figures, and all of them in a list for a report:
-- local rows, runs, add = require("lib.rows")(); add(1, "SFT", run)
return function()
  local rows, runs = {}, {}
  local function add(number, name, run)
    rows[number] = rows[number] or { name, {} }
    table.insert(rows[number][2], run)
    runs[#runs + 1] = run
  end
  return rows, runs, add
end
