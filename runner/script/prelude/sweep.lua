-- Lists of experiments: compeer.runs and compeer.sweep.

local most_runs, most_jobs, longest_name = 5000, 256, 100

-- Returns the text for a value in a run's name: "0.25"; for a table its plugin or, without one, its index on the axis.
local function label(value, place)
  if type(value) == "table" then return type(value.plugin) == "string" and value.plugin or tostring(place) end
  local _, text = key_of(value)
  return type(value) == "string" and value or text
end

-- Replaces characters that names can't have by '_'. Long names are truncated and end in eight digits of their hash.
local function plain(name)
  local text = string.gsub(name, "[^%w%.%-_]", "_")
  if #text <= longest_name then return text end
  return format("%s-%s", string.sub(text, 1, longest_name - 9), string.sub(sha256(name), 1, 8))
end

local function check_axis(path, values)
  if type(path) ~= "string" then refuse("the axes of a sweep must be settings", '["grpo.lr"] = { 1e-5, 1e-4 }') end
  if type(values) ~= "table" or values[1] == nil then
    refuse(format("'%s' needs a list of values", path), format('["%s"] = { 1, 2, 3 }', path))
  end
  if path == "name" then refuse("'name' can't be swept", "leave it out: names are made from the values") end
  local seen = {}
  for _, value in ipairs(values) do
    local key, text = key_of(value)
    if seen[key] then
      refuse(format("'%s' has the value %s twice", path, text),
        "remove one: runs with the same settings are the same run")
    end
    seen[key] = true
  end
end

local function last_part(path) return string.match(path, "[^%.]*$") end

-- Returns the last part of the path, "alpha" of "reweighting.alpha", or the whole path if another axis ends in it too.
local function short_path(path, axes)
  for other in pairs(axes) do
    if other ~= path and last_part(other) == last_part(path) then return path end
  end
  return last_part(path)
end

local methods = {}

-- runs:run { jobs = 1 }
function methods.run(list, options)
  check_kind(1, "run", "table", list)
  local jobs = check_options(options, { "jobs" }).jobs
  if jobs == nil then jobs = 1 end
  if math.type(jobs) ~= "integer" or jobs < 1 or jobs > most_jobs then
    refuse(format("'jobs' must be the number of runs at the same time, from 1 to %d", most_jobs))
  end
  for i = 1, rawlen(list) do check_kind(1, "run", "experiment", rawget(list, i)) end
  local done = launch(list, jobs)
  tell_failed(done)
  return to_list(done)
end

local list_of_experiments = class("a list of experiments", methods,
  function(list) return rawlen(list) .. " experiments" end)

function compeer.runs(list)
  check_kind(1, "runs", "table", list)
  local made = setmetatable({}, list_of_experiments)
  for i = 1, math.huge do
    local item = list[i]
    if item == nil then return made end
    made[i] = check_kind(1, "runs", "experiment", item)
  end
end

-- Returns an experiment for each combination of the axes' values; the last axis changes fastest.
function compeer.sweep(base, axes)
  check_kind(1, "sweep", "experiment", base)
  local paths, size = {}, 1
  for path, values in pairs(check_kind(2, "sweep", "table", axes)) do
    check_axis(path, values)
    insert(paths, path)
    size = size * #values
    if size > most_runs then refuse(format("a sweep is limited to %d runs", most_runs)) end
  end
  if type(base.name) ~= "string" then refuse("the base of a sweep needs a name", 'base:with { name = "..." }') end

  local made, taken, settings = {}, {}, {}
  local function walk(axis, name)
    local path = paths[axis]
    if path then
      for place, value in ipairs(axes[path]) do
        settings[path] = value
        walk(axis + 1, format("%s-%s=%s", name, short_path(path, axes), label(value, place)))
      end
      return
    end
    local unique, i = plain(name), 2
    while taken[unique] do unique, i = plain(format("%s-%d", name, i)), i + 1 end
    taken[unique] = true
    local changes = { name = unique }
    for setting_path, value in pairs(settings) do changes[setting_path] = value end
    insert(made, changes)
  end
  walk(1, base.name)
  return setmetatable(variants(base, made), list_of_experiments)
end
