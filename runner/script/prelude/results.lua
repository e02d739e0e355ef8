-- Lists of results, with their tables, comparisons and reports.

local deepest_list = 16

-- Appends the results in a list, which may contain lists, to `found`.
local function add_results(found, list, name, depth)
  if depth > deepest_list then refuse("the list of results is nested too deeply") end
  for i = 1, math.huge do
    local item = rawget(list, i)
    if item == nil then return found end
    if type(item) == "table" then
      add_results(found, item, name, depth + 1)
    else
      insert(found, check_kind(1, name, "result", item))
    end
  end
end

local function to_results(list, name) return add_results({}, check_kind(1, name, "table", list), name, 0) end

local function any(runs, fits)
  for _, run in ipairs(runs) do
    if fits(run) then return true end
  end
  return false
end

local function is_planned(run) return state_of(run) == "planned" end -- in a dry run; has no metrics
local function is_finished(run) return state_of(run) == "finished" end

-- Returns one line for each failed run.
function failures(runs)
  local lines = {}
  for _, run in ipairs(runs) do append(lines, { failure(run) }) end
  return lines
end

-- Columns are settings or metrics of the runs.

local function refuse_column(runs, column)
  local known = {}
  for _, run in ipairs(runs) do
    for _, name in ipairs(metric_names(run)) do known[name] = true end
  end
  local metrics = names_of(known)
  local near = nearest(column, append(setting_paths(runs[1]), metrics))
  local help = near ~= "" and format("did you mean '%s'? ", near) or suggest_figure(column, metrics)
  refuse(format("the runs have no setting or metric '%s'", column),
    format("%smetrics: %s", string.match(help, "^(.*)known") or help, concat(metrics, ", ")))
end

local function is_setting(runs, column)
  if any(runs, function(run) return figure(run, column, true) end) then return false end
  if any(runs, function(run) return (setting(run, column)) end) then return true end
  if any(runs, function(run) return figure(run, column) end) then return false end
  if any(runs, is_finished) then refuse_column(runs, column) end
  return false
end

local function sort_columns(runs, columns)
  local settings, metrics = {}, {}
  for _, column in ipairs(columns) do insert(is_setting(runs, column) and settings or metrics, column) end
  return settings, metrics
end

-- Raises an error for a column that no run has as a setting or metric. Failed runs, and planned runs with unknown
-- metrics, may have any. Checks every run, because a name may be ambiguous in only one of them.
local function refuse_unpromised(runs, columns)
  for _, column in ipairs(columns) do
    local fits = 0
    for _, run in ipairs(runs) do
      local has = failure(run) or setting(run, column)
      if not has and is_planned(run) then has = may_have(run, column) end
      if has or figure(run, column) then fits = fits + 1 end
    end
    if fits == 0 then refuse_column(runs, column) end
  end
end

local function check_columns(columns, name)
  for i, column in ipairs(columns) do check_kind(i, name, "string", column) end
  return columns
end

local function results_with(runs, what, columns)
  if #runs == 0 then refuse(format("a %s needs results", what)) end
  refuse_unpromised(runs, columns)
  return runs
end

-- Returns a run's values of these settings: `values` by path, `texts` for printing, and `key`, a text that is equal for
-- runs with equal values.
local function settings_of(run, paths)
  local of = { values = {}, texts = {} }
  local keys = {}
  for i, path in ipairs(paths) do
    local _, value, key, text = setting(run, path)
    of.values[path], of.texts[i], keys[i] = value, text, key
  end
  of.key = concat(keys, "\n")
  return of
end

-- Groups runs by their values of these settings. Groups are in the order of their first runs.
local function grouped(runs, paths)
  local groups, by_key = {}, {}
  for _, run in ipairs(runs) do
    local settings = settings_of(run, paths)
    local group = by_key[settings.key]
    if not group then
      group = { settings = settings, runs = {} }
      by_key[settings.key] = group
      insert(groups, group)
    end
    insert(group.runs, run)
  end
  return groups
end

local function cell(estimate, number)
  if not estimate then return "-" end
  if not estimate.low then return format(number, estimate.mean) end
  return format(concat({ number, " [", number, ", ", number, "]" }), estimate.mean, estimate.low, estimate.high)
end

-- Returns the mean of the values with its interval, or nil if there are no values.
local function mean_of(values)
  local found = mean_interval(values)
  return found.n > 0 and found or nil
end

-- Returns a placeholder for a table or comparison in a dry run. Reading one of its fields ends the script.
local function planned(what)
  note(format("a %s would be made at %s", what, position()))
  return setmetatable({}, {
    __tostring = function() return what .. " (planned)" end,
    __index = function() end_dry_run("the numbers of a " .. what) end,
  })
end

local function printing(made, text)
  return setmetatable(made, { __tostring = function() return text end })
end

-- Returns a table with one row for each combination of the settings among the columns. If any row has several runs, all
-- metrics are means over runs with intervals over runs. Otherwise they are the runs' own values with intervals over
-- prompts. A table never mixes the two.
local function make_table(runs, columns)
  local settings, metrics = sort_columns(runs, columns)
  local made = { settings = settings, metrics = metrics, rows = {}, failed = failures(runs) }
  local groups = grouped(runs, settings)
  local over_runs, has_interval = any(groups, function(group) return #group.runs > 1 end), false
  local lines = { append(append(append({}, settings), { "runs" }), metrics) }
  for _, group in ipairs(groups) do
    local row, line, finished = group.settings.values, append({}, group.settings.texts), 0
    for _, run in ipairs(group.runs) do finished = finished + (is_finished(run) and 1 or 0) end
    insert(line, finished < #group.runs and format("%d of %d", finished, #group.runs) or tostring(finished))
    for _, name in ipairs(metrics) do
      local values, own = {}, nil
      for _, run in ipairs(group.runs) do
        own = figure(run, name)
        if own and own.mean == own.mean then insert(values, own.mean) end
      end
      if over_runs or #values == 0 then own = mean_of(values) end
      row[name] = own
      insert(line, cell(own, "%.4g"))
      has_interval = has_interval or own and own.low ~= nil
    end
    row.runs, row.failed = finished, #group.runs - finished
    insert(made.rows, row)
    insert(lines, line)
  end
  local notes = append({}, made.failed)
  if has_interval then
    insert(notes, 1, over_runs and "[ ]: 95 % intervals over runs (Student's t); a single run has none"
      or "[ ]: 95 % intervals over the prompts of each run")
  end
  return printing(made, aligned(lines, notes))
end

-- Comparisons: the difference (run - base) of each pair of runs, and per row the mean difference with its interval.
-- Variation that the two runs of a pair have in common, such as that of their seed, cancels.

-- Returns "reweighting.plugin = none, seed = 1".
local function with_values(paths, texts)
  local parts = {}
  for i, path in ipairs(paths) do parts[i] = format("%s = %s", path, texts[i]) end
  return concat(parts, ", ")
end

-- Reads the option `against`: the settings, with their values, that define a base run.
local function to_base(against)
  local base = { paths = {}, texts = {}, keys = {} }
  if type(against) == "table" then
    for path, value in pairs(against) do
      if type(path) ~= "string" then break end
      insert(base.paths, path)
      local key, text = key_of(value)
      insert(base.keys, key)
      insert(base.texts, text)
    end
  end
  if #base.paths == 0 then
    refuse("'against' must define the base runs", 'against = { ["reweighting.plugin"] = "none" }')
  end
  base.key = concat(base.keys, "\n")
  return base
end

local function is_base(run, base) return settings_of(run, base.paths).key == base.key end

-- Raises an error if a setting is unknown or no run is a base run.
local function check_comparison(runs, base, pair)
  for _, path in ipairs(append(append({}, base.paths), pair)) do
    if not any(runs, function(run) return (setting(run, path)) end) then refuse_path(runs[1], path) end
  end
  if any(runs, function(run) return is_base(run, base) end) then return end
  local there = {}
  for _, run in ipairs(runs) do there[with_values(base.paths, settings_of(run, base.paths).texts)] = true end
  refuse(format("no run has %s", with_values(base.paths, base.texts)),
    format("there are: %s", concat(names_of(there), "; ")))
end

-- Registers a run under its values of these settings. Raises an error if another run has the same values, since pairs
-- would be ambiguous.
local function take_place(places, run, paths)
  local settings = settings_of(run, paths)
  local other = places[settings.key]
  if other then
    refuse(format("'%s' and '%s' both have %s", other.name, run.name, with_values(paths, settings.texts)),
      "add the setting in which they differ to the columns or to 'pair'")
  end
  places[settings.key] = run
end

local function compare(runs, columns, base, pair)
  check_comparison(runs, base, pair)
  local named, metrics = sort_columns(runs, columns)
  local settings, alike = append({}, base.paths), {} -- alike: settings that are equal for both runs of a pair
  for _, path in ipairs(named) do
    if not contains(base.paths, path) and not contains(pair, path) then
      insert(settings, path)
      insert(alike, path)
    end
  end
  append(alike, pair)
  if #metrics == 0 then refuse("a comparison needs a metric", 'compare { "reward", against = ... }') end
  local made = { settings = settings, metrics = metrics, rows = {}, left_out = failures(runs) }
  made.base, made.paired_by = with_values(base.paths, base.texts), concat(pair, ", ")

  local bases, others, own_place = {}, {}, append(append({}, base.paths), alike)
  for _, run in ipairs(runs) do
    if is_base(run, base) then take_place(bases, run, alike) end
  end
  local rest = {}
  for _, run in ipairs(runs) do
    if is_finished(run) and not is_base(run, base) then
      take_place(others, run, own_place)
      local place = settings_of(run, alike)
      local partner = bases[place.key]
      if not partner then
        insert(made.left_out, format("%s is left out: there is no base run with %s", run.name,
          with_values(alike, place.texts)))
      elseif not is_finished(partner) then
        insert(made.left_out, format("%s is left out: its base run %s failed", run.name, partner.name))
      else
        insert(rest, run)
      end
    end
  end

  local lines = { append(append(append({}, settings), { "pairs" }), metrics) }
  for _, group in ipairs(grouped(rest, settings)) do
    local row, line, pairs_of_row = group.settings.values, append({}, group.settings.texts), 0
    local cells = {}
    for _, name in ipairs(metrics) do
      local differences = {}
      for _, run in ipairs(group.runs) do
        local own, other = figure(run, name), figure(bases[settings_of(run, alike).key], name)
        if own and other then insert(differences, own.mean - other.mean) end
      end
      row[name] = mean_of(differences)
      pairs_of_row = math.max(pairs_of_row, row[name] and row[name].n or 0)
      insert(cells, cell(row[name], "%+.4g"))
    end
    insert(line, tostring(pairs_of_row))
    insert(lines, append(line, cells))
    insert(made.rows, row)
  end
  return printing(made, format("differences from %s, paired by %s\n%s", made.base, made.paired_by,
    aligned(lines, made.left_out)))
end

-- Options of reports and comparisons.

local function texts(value, name, example)
  if type(value) == "string" then return { value } end
  local fits = type(value) == "table"
  for _, item in ipairs(fits and value or {}) do fits = fits and type(item) == "string" end
  if not fits then refuse(format("'%s' must be a list of names", name), example) end
  return value
end

local function to_pair(pair)
  return pair == nil and { "seed" } or texts(pair, "pair", 'pair = { "seed" }')
end

local function text_option(options, name)
  local value = options[name]
  if value ~= nil and type(value) ~= "string" then refuse(format("'%s' must be a string", name)) end
  return value or ""
end

-- Adds the table and the comparison of a sweep to a request: columns as in `table`, options as in `compare`.
local function add_sweep(request, options)
  local columns, against = options.columns, options.against
  if columns == nil then
    if against == nil then return end
    refuse("'against' needs 'columns'", 'columns = { "reweighting.plugin", "reward" }')
  end
  columns = texts(columns, "columns", 'columns = { "reweighting.plugin", "reward" }')
  local base, pair = against ~= nil and to_base(against), to_pair(options.pair)
  if any(request.runs, is_planned) then -- there are no values yet: only checks names
    if base then check_comparison(request.runs, base, pair) end
    return refuse_unpromised(request.runs, columns)
  end
  request.table = make_table(request.runs, columns)
  if #request.table.settings == 0 or #request.table.metrics == 0 then
    refuse("the columns of a report must include a setting and a metric")
  end
  if base then request.comparison = compare(request.runs, columns, base, pair) end
end

-- Returns the full name of a metric, which reports require; `name` itself if no run has the metric.
local function whole_name(runs, name)
  for _, run in ipairs(runs) do
    local _, whole = figure(run, name)
    if whole then return whole end
  end
  return name
end

-- frontier = { x = "distinct_2", y = "reward" }, or a list of such tables.
local function add_frontiers(request, given)
  if given == nil then return end
  local all = type(given) == "table" and given[1] ~= nil and given or { given }
  for _, one in ipairs(all) do
    local named = type(one) == "table" and type(one.x) == "string" and type(one.y) == "string" and #names_of(one) == 2
    if not named then refuse("'frontier' must name two metrics", 'frontier = { x = "distinct_2", y = "reward" }') end
    if any(request.runs, is_planned) then
      refuse_unpromised(request.runs, { one.x, one.y })
    else
      local settings = sort_columns(request.runs, { one.x, one.y })
      if settings[1] then
        refuse(format("'frontier' must name two metrics, but '%s' is a setting", settings[1]))
      end
      insert(request.frontiers, { whole_name(request.runs, one.x), whole_name(request.runs, one.y) })
    end
  end
end

local function request_of(runs, options)
  return { runs = runs, frontiers = {}, title = text_option(options, "title"), output = text_option(options, "output") }
end

-- Methods of lists.

local methods = {}

function methods.table(list, ...)
  local columns = check_columns({ ... }, "table")
  if #columns == 0 then refuse("a table needs columns", 'results:table("reweighting.alpha", "reward")') end
  local runs = results_with(to_results(list, "table"), "table", columns)
  return any(runs, is_planned) and planned("table") or make_table(runs, columns)
end

-- results:compare { "reward", "distinct_2", against = { ["reweighting.plugin"] = "none" }, pair = "seed" }
function methods.compare(list, given)
  local columns, options = {}, {}
  for name, value in pairs(check_kind(2, "compare", "table", given)) do
    if math.type(name) == "integer" then columns[name] = value else options[name] = value end
  end
  check_options(options, { "against", "pair" })
  check_columns(columns, "compare")
  local base, pair = to_base(options.against), to_pair(options.pair)
  local runs = to_results(list, "compare")
  if #runs > 0 then check_comparison(runs, base, pair) end
  results_with(runs, "comparison", columns)
  return any(runs, is_planned) and planned("comparison") or compare(runs, columns, base, pair)
end

-- results:report "results/alpha.html", or { output = "results/alpha.html", title = "...", columns = { ... } }
function methods.report(list, given)
  local runs = to_results(list, "report")
  local options = type(given) == "string" and { output = given }
    or check_options(given, { "against", "columns", "frontier", "output", "pair", "title" })
  local request = request_of(runs, options)
  add_sweep(request, options)
  add_frontiers(request, options.frontier)
  report(request)
end

local list_of_results = class("a list of results", methods, function(list) return rawlen(list) .. " results" end)

function to_list(runs) return setmetatable(runs, list_of_results) end

function compeer.results(list) return to_list(to_results(list, "results")) end

-- compeer.report { title = "...", output = "results/study.html", runs = { a, b, list } }
function compeer.report(options)
  check_options(check_kind(1, "report", "table", options), { "frontier", "output", "runs", "title" })
  if type(options.runs) ~= "table" then refuse("a report needs 'runs', a list of results") end
  local request = request_of(to_results(options.runs, "report"), options)
  add_frontiers(request, options.frontier)
  report(request)
end
