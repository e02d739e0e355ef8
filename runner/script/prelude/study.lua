-- Studies (compeer.study): tables of runs and comparisons that are declared before the first run starts. The whole
-- declaration is checked before anything is run.

local most_seeds, most_numbers = 10000, 100000
local longest_line, narrowest_cell = 120, 14
local row_slot = "{row}" -- in the name of a figure: the name of the row
local fields = { "against", "contrasts", "figures", "kept", "name", "rows", "run", "seeds" }
local better_of = { higher = 1, lower = -1, neither = 0 }

local example_of_rows = 'rows = { { "slow", lr = 1e-5 }, { "fast", lr = 1e-4 } }'
local example_of_seeds = "seeds = 3, or seeds = { 1, 2, 3 }"
local example_of_figures = 'figures = { "reward", { "Fluency", "esc_eval.fluency" } }'
local example_of_contrasts = 'contrasts = { { "fast", "slow" } }, or { { "fast", "slow", { "reward" } } } for this '
  .. "figure alone"

-- Declarations

local function refuse_field(field, what, example) refuse(format("a study's '%s' %s", field, what), example) end

local function required(declared, field, wanted, what, example)
  local value = declared[field]
  if value == nil then refuse(format("a study needs '%s'", field), example) end
  if type(value) ~= wanted then refuse_field(field, format("%s, not a %s", what, type(value)), example) end
  return value
end

-- Returns the index of a name in a list. Raises an error that begins with `what` for an unknown name.
local function place_of(names, name, what)
  for place, other in ipairs(names) do
    if other == name then return place end
  end
  refuse(format("%s '%s'", what, tostring(name)), suggest(tostring(name), names))
end

local function read_seeds(given)
  local function refuse_seeds(what) refuse_field("seeds", what, example_of_seeds) end
  local function whole(number) return math.type(number) == "integer" and number >= 0 end
  if given == nil then refuse("a study needs 'seeds'", example_of_seeds) end
  local seeds, listed = given, {}
  if whole(given) and given <= most_seeds then
    seeds = {}
    for seed = 1, given do seeds[seed] = seed end
  end
  if type(seeds) ~= "table" then refuse_seeds("must be a number of seeds or a list of seeds") end
  for _, seed in ipairs(seeds) do
    if not whole(seed) then refuse_seeds("must be a number of seeds or a list of seeds") end
    if listed[seed] then refuse_seeds("must not contain a seed twice") end
    listed[seed] = true
  end
  if #seeds == 0 then refuse_seeds("must not be empty") end
  return quick and { seeds[1] } or append({}, seeds)
end

-- Converts rows to tables with a name: { "UR", lr = 1e-4 } gets name = "UR", "UR" becomes { "UR", name = "UR" }.
-- Reading a field that no row has is an error, since it is probably misspelt; one that only other rows have is nil.
local function read_rows(given)
  local rows, names, known = {}, {}, {}
  local function unknown_field(_, field)
    if known[field] or type(field) ~= "string" then return nil end
    local others = {}
    for name in pairs(known) do
      if type(name) == "string" then insert(others, name) end
    end
    refuse(format("no row of the study has a field '%s'", field), suggest(field, others))
  end
  for i, item in ipairs(given) do
    local row = {}
    if type(item) ~= "table" then item = { item } end
    for field, value in pairs(item) do row[field] = value end
    local name = row[1]
    if type(name) ~= "string" then
      refuse_field("rows", format("must begin with their names; row %d begins with a %s", i, type(name)), example_of_rows)
    end
    if contains(names, name) then refuse(format("a study has two rows '%s'", name), "give them different names") end
    row.name, names[i] = name, name
    for field in pairs(row) do known[field] = true end
    rows[i] = setmetatable(row, { __index = unknown_field })
  end
  if #rows == 0 then refuse_field("rows", "must not be empty", example_of_rows) end
  return rows, names
end

-- figures = { "reward", { "Fluency", "esc_eval.fluency", better = "lower" }, { "gap", function(run) ... end } }
local function read_figure(item, number)
  if type(item) ~= "table" then item = { item } end
  for field in pairs(item) do
    if field ~= 1 and field ~= 2 and field ~= "better" then
      refuse(format("a figure has no field '%s'", tostring(field)), suggest(tostring(field), { "better" }))
    end
  end
  local title, of, better = item[1], item[2], item.better
  if of == nil then of = title end
  if better == nil then better = "higher" end
  if not better_of[better] then
    refuse(format("'better' can't be %s", tostring(better)), 'better = "higher", "lower" or "neither"')
  end
  if type(title) ~= "string" or type(of) ~= "string" and type(of) ~= "function" then
    refuse_field("figures", format("must have names; figure %d has none", number), example_of_figures)
  end
  return { title = title, of = of, better = better_of[better] }
end

local function read_figures(given)
  local figures, titles = {}, {}
  for i, item in ipairs(given) do
    figures[i] = read_figure(item, i)
    local title = figures[i].title
    if contains(titles, title) then
      refuse(format("a study has two figures '%s'", title), "give them different titles")
    end
    titles[i] = title
  end
  if #figures == 0 then refuse_field("figures", "must not be empty", example_of_figures) end
  return figures, titles
end

-- Adds the contrast `row` minus `base` for the figures with these titles.
local function contrast_of(study, row, base, titles)
  local contrast = { row = row, base = base, compares = {}, count = #titles }
  for _, title in ipairs(titles) do
    if type(title) ~= "string" then refuse_field("contrasts", "must name figures by their titles", example_of_contrasts) end
    contrast.compares[place_of(study.titles, title, "a contrast names an unknown figure")] = true
  end
  insert(study.contrasts, contrast)
end

local function read_contrasts(study, against, pairs_of_rows)
  if against ~= nil and pairs_of_rows ~= nil then
    refuse("a study can't have both 'against' and 'contrasts'", example_of_contrasts)
  end
  study.contrasts = {}
  if against ~= nil then
    if type(against) ~= "string" then refuse_field("against", "must be the name of a row", 'against = "SFT"') end
    local base = place_of(study.names, against, "'against' names an unknown row")
    for row in ipairs(study.rows) do
      if row ~= base then contrast_of(study, row, base, study.titles) end
    end
  end
  if pairs_of_rows == nil then return end
  if type(pairs_of_rows) ~= "table" then refuse_field("contrasts", "must be a list of pairs", example_of_contrasts) end
  for _, pair in ipairs(pairs_of_rows) do
    local fits = type(pair) == "table" and type(pair[1]) == "string" and type(pair[2]) == "string" and #pair <= 3
    if not fits or pair[3] ~= nil and type(pair[3]) ~= "table" then
      refuse_field("contrasts", "must be a list of pairs of rows: the first minus the second", example_of_contrasts)
    end
    local row = place_of(study.names, pair[1], "a contrast names an unknown row")
    local base = place_of(study.names, pair[2], "a contrast names an unknown row")
    if row == base then refuse(format("a contrast compares '%s' with itself", pair[1])) end
    contrast_of(study, row, base, pair[3] or study.titles)
  end
end

local function kept_folder(folder)
  if folder == nil then return end
  if type(folder) ~= "string" or folder == "" then refuse_field("kept", "must be a folder", 'kept = "figures/rates"') end
  check_kept(folder)
  return not quick and folder or nil
end

local function read_study(declared)
  if type(declared) ~= "table" then refuse("a study must be declared by a table", "compeer.study { name = ..., ... }") end
  for _, field in ipairs(names_of(declared)) do
    if not contains(fields, field) then refuse(format("a study has no field '%s'", field), suggest(field, fields)) end
  end
  local study = { name = required(declared, "name", "string", "must be a string", 'name = "table2"') }
  study.seeds = read_seeds(declared.seeds)
  study.rows, study.names = read_rows(required(declared, "rows", "table", "must be a list", example_of_rows))
  study.figures, study.titles =
    read_figures(required(declared, "figures", "table", "must be a list", example_of_figures))
  if #study.rows * #study.figures * #study.seeds > most_numbers then
    refuse(format("a study is limited to %d numbers", most_numbers))
  end
  read_contrasts(study, declared.against, declared.contrasts)
  study.kept = kept_folder(declared.kept)
  study.run = required(declared, "run", "function", "must be a function that makes a run",
    "run = function(seed, row) return ... end")
  study.values, study.runs, study.planned = {}, {}, false -- values[row][figure][seed]; NaN: no value
  for row in ipairs(study.rows) do
    study.values[row] = {}
    for figure_place in ipairs(study.figures) do
      local values = {}
      for seed in ipairs(study.seeds) do values[seed] = 0 / 0 end
      study.values[row][figure_place] = values
    end
  end
  return study
end

-- Runs

-- Calls the study's `run` for a seed and a row. Launches an experiment that it returns. Returns the result; adds a
-- failed run to `failed`.
local function result_of(study, seed, row, failed)
  local made = study.run(study.seeds[seed], study.rows[row])
  if kind(made) == "experiment" then
    made = launch({ made }, 1)[1]
    if failure(made) then insert(failed, made) end
  end
  if kind(made) == "result" then return made end
  refuse(format("'run' of the study '%s' returned %s for seed %d of '%s'", study.name,
    made == nil and "nothing" or "a " .. type(made), study.seeds[seed], study.names[row]),
    'return an experiment, its result (experiment:launch()) or a stage of the result (result:stage "sage")')
end

local function refuse_unknown_figure(study, run, name)
  refuse(format("study '%s': %s has no figure '%s'", study.name, described(run), name),
    suggest_figure(name, metric_names(run)))
end

-- Returns the value that the figure's function computes for a run; NaN if it returns nil.
local function computed(study, run, row, wanted)
  local value = wanted.of(run, study.rows[row])
  if value == nil then return 0 / 0 end
  if type(value) == "number" then return value end
  refuse(format("study '%s': figure '%s' is a %s for '%s', not a number", study.name, wanted.title, type(value),
    study.names[row]), "return a number, or nil if there is none")
end

-- Returns the value of a figure for a run, or NaN. Raises an error for an unknown figure, so that a study ends after
-- its first run instead of its last. A figure with the row's name in it may be missing (see refuse_unseen).
local function value_of(study, run, row, wanted)
  local planned, name = state_of(run) == "planned", wanted.of
  if failure(run) or planned and type(name) == "function" then return 0 / 0 end
  if type(name) == "function" then return computed(study, run, row, wanted) end
  local from, to = string.find(name, row_slot, 1, true)
  if from then name = string.sub(name, 1, from - 1) .. study.names[row] .. string.sub(name, to + 1) end
  local found = not planned and figure(run, name)
  if found then
    wanted.seen = true
    return found.mean
  end
  if not (planned and may_have(run, name)) and not from then refuse_unknown_figure(study, run, name) end
  return 0 / 0
end

-- Raises an error if no run has a figure that contains the name of its row ("{row}"). Single runs may lack it.
local function refuse_unseen(study)
  if study.planned then return end
  for _, run in ipairs(study.runs) do
    if state_of(run) == "finished" then
      for _, wanted in ipairs(study.figures) do
        local slotted = type(wanted.of) == "string" and string.find(wanted.of, row_slot, 1, true)
        if slotted and not wanted.seen then refuse_unknown_figure(study, run, wanted.of) end
      end
      return
    end
  end
end

local function file_of(study, seed) return format("%s/seed-%d.json", study.kept, study.seeds[seed]) end

-- Copies the stored figures of a row and seed to study.values and returns true if all of them are stored.
local function take_kept(study, kept, seed, row)
  local found = kept[study.names[row]]
  if not found then return false end
  for _, title in ipairs(study.titles) do
    if not found[title] then return false end
  end
  for place, title in ipairs(study.titles) do study.values[row][place][seed] = found[title] end
  return true
end

-- Stores the figures of a row and seed if any has a value.
local function keep_row(study, kept, seed, row)
  local found, any = {}, false
  for place, title in ipairs(study.titles) do
    local value = study.values[row][place][seed]
    found[title], any = value, any or value == value
  end
  if not any then return end
  kept[study.names[row]] = found -- stored rows that the study no longer declares are kept
  write_kept(file_of(study, seed), study.name, study.seeds[seed], kept)
end

local function run_all(study)
  local kept, failed, seeds_of, paths = {}, {}, {}, {}
  for seed in ipairs(study.seeds) do
    kept[seed] = study.kept and read_kept(file_of(study, seed), study.name, study.seeds[seed]) or {}
  end
  for seed, number in ipairs(study.seeds) do
    for row, name in ipairs(study.names) do
      if not take_kept(study, kept[seed], seed, row) then
        local run = result_of(study, seed, row, failed)
        -- Two seeds with the same run are one observation. Counted twice, it would make intervals too narrow.
        local same = format("%d %s", row, identity(run))
        if seeds_of[same] then
          refuse(format("study '%s': seeds %d and %d of '%s' are the same run", study.name, seeds_of[same], number,
            name), 'use the seed in \'run\': base:with { name = row.name .. "-" .. seed, seed = seed }')
        end
        seeds_of[same] = number
        study.planned = study.planned or state_of(run) == "planned"
        if not paths[run.path] then insert(study.runs, run) end
        paths[run.path] = true
        for place, wanted in ipairs(study.figures) do
          study.values[row][place][seed] = value_of(study, run, row, wanted)
        end
        if study.kept then keep_row(study, kept[seed], seed, row) end
      end
    end
  end
  refuse_unseen(study)
  study.notes = failures(study.runs)
  tell_failed(failed)
end

-- Tables

-- Returns the differences of a figure between two rows, paired by seed, so that variation that the runs of a seed have
-- in common cancels.
local function differences_of(study, row, base, place)
  local found = {}
  for seed, value in ipairs(study.values[row][place]) do
    found[seed] = value - study.values[base][place][seed]
  end
  return found
end

local function cell(found, number, mark)
  if found.n == 0 then return "-" end
  return format(number, found.mean) .. (found.half and format(" ±%.3f", found.half) or "") .. mark
end

-- Returns { [row] = mark }: "*" for the best mean of a figure, "+" for the second best. A mean that equals another one
-- for its place gets no mark.
local function best_two(means, better)
  local order, marks = {}, {}
  for row, mean in ipairs(means) do
    if mean.n > 0 then insert(order, row) end
  end
  if better == 0 or #order < 2 then return marks end
  local function is_better(a, b) return better * means[a].mean > better * means[b].mean end
  sort(order, is_better)
  if is_better(order[1], order[2]) then
    marks[order[1]] = "*"
    if not order[3] or is_better(order[2], order[3]) then marks[order[2]] = "+" end
  end
  return marks
end

local function mean_lines(study)
  local lines = {}
  for row, name in ipairs(study.names) do lines[row] = { name } end
  for place, wanted in ipairs(study.figures) do
    local means = {}
    for row in ipairs(study.rows) do means[row] = mean_interval(study.values[row][place]) end
    local marks = best_two(means, wanted.better)
    for row, mean in ipairs(means) do insert(lines[row], cell(mean, "%.3f", marks[row] or "")) end
  end
  return lines
end

-- Returns one line for each contrast, with marks, and the number of differences tested.
local function difference_lines(study)
  local found, p_values = {}, {}
  for c, contrast in ipairs(study.contrasts) do
    found[c] = {}
    for place in ipairs(study.figures) do
      if contrast.compares[place] then
        found[c][place] = difference_of(differences_of(study, contrast.row, contrast.base, place))
        insert(p_values, found[c][place].p)
      end
    end
  end
  local corrected, tested, lines = holm(p_values), 0, {}
  for c, contrast in ipairs(study.contrasts) do
    lines[c] = { study.names[contrast.row] }
    for place in ipairs(study.figures) do
      local difference, text = found[c][place], ""
      if difference then
        if difference.p then tested = tested + 1 end
        local mark = difference.clear and (corrected[tested] < 0.05 and "!!" or "!") or ""
        text = cell(difference, "%+.3f", mark)
      end
      insert(lines[c], text)
    end
  end
  return lines, #p_values
end

-- Returns the number of figures per block of the table, so that lines are not too long.
local function columns_of_a_block(study)
  local name, widest = #study.name, narrowest_cell
  for _, row in ipairs(study.names) do name = math.max(name, #row) end
  for _, title in ipairs(study.titles) do widest = math.max(widest, #title) end
  return math.max(1, (longest_line - name) // (widest + 2))
end

local function block(study, corner, lines, from, to)
  local cells = { append({ corner }, { table.unpack(study.titles, from, to) }) }
  for _, line in ipairs(lines) do
    insert(cells, append({ line[1] }, { table.unpack(line, from + 1, to + 1) }))
  end
  return aligned(cells, {}) .. "\n"
end

-- Returns one block for each base row: the contrasts that compare any of the figures `from` to `to`.
local function contrast_blocks(study, lines, from, to)
  local bases, lines_of = {}, {}
  for c, contrast in ipairs(study.contrasts) do
    if not lines_of[contrast.base] then
      insert(bases, contrast.base)
      lines_of[contrast.base] = {}
    end
    for place = from, to do
      if contrast.compares[place] then
        insert(lines_of[contrast.base], lines[c])
        break
      end
    end
  end
  local blocks = {}
  for _, base in ipairs(bases) do
    if #lines_of[base] > 0 then
      insert(blocks, block(study, "minus " .. study.names[base], lines_of[base], from, to))
    end
  end
  return blocks
end

-- Returns lines about missing values: "left out: URP has no 'win', 'tie' (seeds 1, 2)".
local function gaps(study)
  local lines = {}
  for row, name in ipairs(study.names) do
    local missing = {}
    for place, title in ipairs(study.titles) do
      local seeds = {}
      for seed, value in ipairs(study.values[row][place]) do
        if value - value ~= 0 then insert(seeds, study.seeds[seed]) end
      end
      if #seeds > 0 then
        local text = format("seed%s %s", #seeds == 1 and "" or "s", concat(seeds, ", "))
        missing[text] = append(missing[text] or {}, { format("'%s'", title) })
      end
    end
    for seeds, titles in pairs(missing) do
      insert(lines, format("left out: %s has no %s (%s)", name, concat(titles, ", "), seeds))
    end
  end
  return lines
end

-- Returns the table of a study: means ± half of their 95 % intervals, with * for the best mean of a figure and + for
-- the second best. Below them are the contrasts, with ! if the interval excludes zero and !! if this also holds with
-- Holm's correction for all contrasts and figures.
local function text_of(study)
  local means, blocks = mean_lines(study), {}
  local differences, tested = difference_lines(study)
  local width = columns_of_a_block(study)
  for from = 1, #study.figures, width do
    local to = math.min(#study.figures, from + width - 1)
    insert(blocks, block(study, study.name, means, from, to))
    append(blocks, contrast_blocks(study, differences, from, to))
  end
  local lines = gaps(study)
  insert(lines, #study.seeds == 1 and "a single seed has no intervals"
    or format("±: half of the 95 %% interval (Student's t) over %d seeds", #study.seeds))
  if tested > 0 then
    insert(lines, format(
      "!: the 95 %% interval excludes zero; !!: also with Holm's correction for all %d differences", tested))
  end
  return concat(blocks, "\n") .. "\n" .. concat(append(lines, study.notes), "\n")
end

-- Returns a copy of the study with only those seeds that have at least one value.
local function so_far(study)
  local some = {}
  for field, value in pairs(study) do some[field] = value end
  some.seeds, some.values = {}, {}
  local kept = {}
  for seed, number in ipairs(study.seeds) do
    for _, row in ipairs(study.values) do
      for _, values in ipairs(row) do kept[seed] = kept[seed] or values[seed] == values[seed] end
    end
    if kept[seed] then insert(some.seeds, number) end
  end
  for row, values_of_row in ipairs(study.values) do
    some.values[row] = {}
    for place, values in ipairs(values_of_row) do
      some.values[row][place] = {}
      for seed in ipairs(study.seeds) do
        if kept[seed] then insert(some.values[row][place], values[seed]) end
      end
    end
  end
  return some
end

local function counted(count, what) return format("%d %s%s", count, what, count == 1 and "" or "s") end

local function show_plan(study)
  local text = format("study %s: %s, %s", study.name, counted(#study.rows, "row"), counted(#study.seeds, "seed"))
  local tests = 0
  for _, contrast in ipairs(study.contrasts) do tests = tests + contrast.count end
  note(tests > 0 and format("%s, %d differences to test", text, tests) or text)
  local kept = so_far(study)
  if #kept.seeds > 0 then print(text_of(kept)) end
end

function compeer.study(declared)
  local study = read_study(declared)
  run_all(study)
  local text
  if study.planned then
    show_plan(study)
    text = format("study %s (planned)", study.name)
  else
    text = text_of(study)
    print(text)
  end

  local function row_at(name) return place_of(study.names, name, format("study '%s' has no row", study.name)) end
  -- Returns the index of a figure, by title or name. Ends the script in a dry run.
  local function figure_at(name)
    local place
    for i, wanted in ipairs(study.figures) do
      if wanted.of == name then place = place or i end
    end
    place = place or place_of(study.titles, name, format("study '%s' has no figure", study.name))
    if study.planned then end_dry_run(format("'%s' of the study '%s'", name, study.name)) end
    return place
  end
  local members = { name = study.name, runs = to_list(study.runs) }
  function members.interval(_, row, name) return interval_of(study.values[row_at(row)][figure_at(name)]) end
  function members.difference(_, row, base, name)
    return difference_of(differences_of(study, row_at(row), row_at(base), figure_at(name)))
  end
  local metatable = class("a study", members, function() return text end)
  metatable.__newindex = function() refuse("a study can't be changed") end
  return setmetatable({}, metatable)
end
