-- The values of a metric in the results of a row, seed by seed; `minus`: less those of another row. `of`: the metric's name, or a
-- function of a result.
local function value(result, of)
  if type(of) == "function" then return of(result) end
  return result[of]
end

return function(row, of, minus)
  local values = {}
  for seed, result in ipairs(row[2]) do
    values[seed] = value(result, of) - (minus and value(minus[2][seed], of) or 0)
  end
  return values
end
