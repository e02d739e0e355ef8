-- The mean of a few values, one of each seed, and half of its 95 % interval (Student's t; nothing of a single value).
local t = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262 }

return function(values)
  local sum, squares = 0, 0
  for _, value in ipairs(values) do sum = sum + value end
  for _, value in ipairs(values) do squares = squares + (value - sum / #values) ^ 2 end
  local half = t[#values - 1] and t[#values - 1] * math.sqrt(squares / (#values - 1) / #values) or 0
  return sum / #values, half
end
