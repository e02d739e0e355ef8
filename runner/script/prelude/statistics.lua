-- Statistics of numbers that scripts have computed: compeer.interval, compeer.difference, compeer.holm.

local function numbers_in(values, name, n)
  local numbers = {}
  for key, value in pairs(check_kind(n, name, "table", values)) do
    if type(value) ~= "number" then refuse(format("value %s is a %s, not a number", tostring(key), type(value))) end
    insert(numbers, value)
  end
  return numbers
end

local function printing(found, number)
  local half = found.half and format(" ±%.2g", found.half) or ""
  local text = found.n > 0 and format(number, found.mean) .. half or "-"
  return setmetatable(found, { __tostring = function() return text end })
end

-- Returns { mean, n, low, high, half }, without the last three if there is no interval. Prints as "0.512 ±0.031".
function interval_of(values) return printing(mean_interval(values), "%.4g") end

-- The same for paired differences, with `clear` (the interval excludes zero) and, if there is an interval, `p` of the
-- t test. Prints as "+0.021 ±0.031".
function difference_of(differences)
  local found = mean_interval(differences)
  found.clear = found.low ~= nil and (found.low > 0 or found.high < 0)
  found.p = found.low and t_test(differences)
  return printing(found, "%+.4g")
end

function compeer.interval(values) return interval_of(numbers_in(values, "interval", 1)) end

function compeer.difference(values, base)
  numbers_in(values, "difference", 1)
  numbers_in(base, "difference", 2)
  local differences = {}
  for key, value in pairs(values) do
    if base[key] ~= nil then insert(differences, value - base[key]) end
  end
  return difference_of(differences)
end

function compeer.holm(p_values) return holm(numbers_in(p_values, "holm", 1)) end
