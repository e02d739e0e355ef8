-- Runs of several seeds as rows of a table: means over seeds with half of their 95 % intervals (compeer.interval); of each column
-- the best mean is marked *, the second best +. Against a row, a second table of how the others differ from it seed by seed: ! where
-- the 95 % interval leaves zero out, !! where that holds with Holm's correction for all differences of the table, too.
--
--   local rows = require("lib.rows")()
--   rows.add("SFT", run)             -- once for each seed, in their order
--   rows.show(columns, "SFT")        -- columns: { { "Overall", "01-esc_eval/overall/value", better = 1 or -1 }, ... }; a function
--   rows.runs                        -- of a result in place of a metric. `runs`: all of them, for a report
local compeer = require "compeer"

-- The values of a column in the runs of a row, seed by seed. A run without the figure has none.
local function values(row, column)
  local all = {}
  for seed, run in ipairs(row.runs) do
    all[seed] = type(column[2]) == "function" and column[2](run) or run[column[2]]
  end
  return all
end

local function best_two(cells, k, better)
  local order, marked = {}, {}
  for i, row in ipairs(cells) do
    if row[k].mean == row[k].mean then order[#order + 1] = i end
  end
  table.sort(order, function(a, b) return better * cells[a][k].mean > better * cells[b][k].mean end)
  if better ~= 0 and #order > 1 then marked[order[1]], marked[order[2]] = "*", "+" end
  return marked
end

local function fit(text, width) return (" "):rep(width - utf8.len(text)) .. text end

local function print_table(names, columns, cells, mark)
  local longest = 15
  for _, name in ipairs(names) do longest = math.max(longest, #name) end
  local head = (" "):rep(longest)
  for _, column in ipairs(columns) do head = head .. fit(column[1], 17) end
  print(head)
  for i, name in ipairs(names) do
    local line = name .. (" "):rep(longest - #name)
    for k in ipairs(columns) do
      local cell = cells[i][k]
      line = line .. fit(cell.mean == cell.mean and ("%.3f"):format(cell.mean) or "-", 9)
      line = line .. (cell.half and fit(("±%.3f"):format(cell.half), 8) .. mark(i, k) or mark(i, k) .. (" "):rep(8))
    end
    print((line:gsub(" +$", "")))
  end
end

-- ! and !! of differences, as a function of their place; and how many of them were tested.
local function clear_ones(cells)
  local tested, p_values = {}, {}
  for i, row in ipairs(cells) do
    for k, cell in ipairs(row) do
      if cell.p then tested[#tested + 1], p_values[#p_values + 1] = i .. " " .. k, cell.p end
    end
  end
  local corrected = {}
  for n, p in ipairs(compeer.holm(p_values)) do corrected[tested[n]] = p end
  return function(i, k)
    if not cells[i][k].clear then return "  " end
    return corrected[i .. " " .. k] < 0.05 and "!!" or "! "
  end, #tested
end

return function()
  local rows, by_name = { runs = {} }, {}

  function rows.add(name, run)
    if not by_name[name] then
      by_name[name] = { name = name, runs = {} }
      rows[#rows + 1] = by_name[name]
    end
    table.insert(by_name[name].runs, run)
    rows.runs[#rows.runs + 1] = run
  end

  -- { mean, low, high, half, n } of a row; and of how it differs from another, with `p` and `clear`.
  function rows.interval(name, metric) return compeer.interval(values(by_name[name], { name, metric })) end
  function rows.difference(name, base, metric)
    return compeer.difference(values(by_name[name], { name, metric }), values(by_name[base], { base, metric }))
  end

  -- All rows, or those that are named in `only`.
  function rows.show(columns, against, only)
    local names, others, cells, differences, marked = only or {}, {}, {}, {}, {}
    for i, row in ipairs(only and {} or rows) do names[i] = row.name end
    for i, name in ipairs(names) do
      cells[i] = {}
      for k, column in ipairs(columns) do cells[i][k] = rows.interval(name, column[2]) end
    end
    for k, column in ipairs(columns) do marked[k] = best_two(cells, k, column.better or 0) end
    print_table(names, columns, cells, function(i, k) return (marked[k][i] or " ") .. " " end)
    if not against then return end
    for _, name in ipairs(names) do
      if name ~= against then
        others[#others + 1] = name
        differences[#others] = {}
        for k, column in ipairs(columns) do differences[#others][k] = rows.difference(name, against, column[2]) end
      end
    end
    print("\nminus " .. against .. ":")
    local mark, tested = clear_ones(differences)
    print_table(others, columns, differences, mark)
    if tested > 0 then
      print(("! the 95 %% interval leaves zero out; !! with Holm's correction for all %d differences, too"):format(tested))
    else
      print("a single seed has no intervals")
    end
  end

  return rows
end
