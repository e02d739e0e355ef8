-- A table of figures, a row for each name: means over seeds with half of their 95 % intervals (Student's t). Of each
-- column the best mean is marked *, the second best +, where `better` says which way. With `against`, the name of a
-- row, a second table of how the others differ from it, seed by seed; where zero lies outside the interval stands !.
--
--   rows     { { "SFT", { result of seed 1, of seed 2, ... } }, ... }
--   columns  { { "Overall", "01-esc_eval/overall/value", better = 1 or -1 }, ... }; a function of a result, in place of a metric
local over_seeds, values = require "lib.over_seeds", require "lib.values"

local function marks(means, better)
  local order, marked = {}, {}
  for i, mean in pairs(means) do
    if mean == mean then order[#order + 1] = i end
  end
  table.sort(order, function(a, b) return better * means[a] > better * means[b] end)
  if better ~= 0 and #order > 1 then marked[order[1]], marked[order[2]] = "*", "+" end
  return marked
end

-- A single seed has no interval.
local function shown(mean, half, mark)
  if mean ~= mean then return ("%16s"):format "-" end
  return (half > 0 and ("%9.3f ±%.3f%s"):format(mean, half, mark)) or ("%9.3f      %s"):format(mean, mark)
end

local function print_table(names, columns, cell, mark)
  local longest = 15
  for _, name in ipairs(names) do longest = math.max(longest, #name) end
  local head = (" "):rep(longest + 1)
  for _, column in ipairs(columns) do head = head .. ("%16s"):format(column[1]) end
  print(head)
  for i, name in ipairs(names) do
    local line = name .. (" "):rep(longest + 1 - #name)
    for k in ipairs(columns) do
      local mean, half = cell(i, k)
      line = line .. shown(mean, half, mark(i, k))
    end
    print(line)
  end
end

return function(rows, columns, against)
  local names, base, marked = {}, nil, {}
  for i, row in ipairs(rows) do
    names[i] = row[1]
    if row[1] == against then base = row end
  end
  for k, column in ipairs(columns) do
    local means = {}
    for i, row in ipairs(rows) do means[i] = over_seeds(values(row, column[2])) end
    marked[k] = marks(means, column.better or 0)
  end
  print_table(names, columns, function(i, k) return over_seeds(values(rows[i], columns[k][2])) end,
    function(i, k) return marked[k][i] or " " end)
  if not base then return end
  print("\nminus " .. against .. ":")
  local others, other_names = {}, {}
  for _, row in ipairs(rows) do
    if row ~= base then others[#others + 1], other_names[#other_names + 1] = row, row[1] end
  end
  local function difference(i, k) return over_seeds(values(others[i], columns[k][2], base)) end
  print_table(other_names, columns, difference, function(i, k)
    local mean, half = difference(i, k)
    return #base[2] > 1 and math.abs(mean) > half and "!" or " "
  end)
end
