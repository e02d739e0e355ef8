-- Functions that the other files of the prelude use. Scripts can't access these globals (module.cpp), which also
-- include the primitives (primitives.cpp) and copies of the standard library. Methods of strings, text:format(), are
-- shared with the script, which may change them, so the prelude does not call any.

format, concat, insert, sort = string.format, table.concat, table.insert, table.sort

-- The module. Functions that are added to it are wrapped for scripts by `entry`.
compeer = setmetatable({ load = load, experiment = experiment, quick = quick, folder = folder }, {
  __newindex = function(module, name, value) rawset(module, name, entry(value)) end,
})

-- Returns `value`. Raises an error unless its kind is `wanted`; it is argument `n` of the script's call of `name`.
function check_kind(n, name, wanted, value)
  if kind(value) ~= wanted then
    refuse(format("bad argument #%d to '%s' (%s expected, got %s)", n, name, wanted, kind(value)))
  end
  return value
end

function contains(list, item)
  for _, other in ipairs(list) do
    if other == item then return true end
  end
  return false
end

function append(list, more)
  for _, item in ipairs(more) do insert(list, item) end
  return list
end

-- Returns the keys of a table as texts, in the order of `pairs`.
function names_of(named)
  local names = {}
  for name in pairs(named) do insert(names, tostring(name)) end
  return names
end

-- Returns the table of options, or an empty one for nil. Raises an error for an option that is not in `known`.
function check_options(options, known)
  if options == nil then return {} end
  if type(options) ~= "table" then refuse(format("options must be a table, not a %s", type(options))) end
  for _, name in ipairs(names_of(options)) do
    if not contains(known, name) then refuse(format("unknown option '%s'", name), suggest(name, known)) end
  end
  return options
end

-- Returns a metatable for values with these members. `what` is the noun for messages ("a study"), `text` the function
-- that converts a value to text.
function class(what, members, text)
  local names = names_of(members)
  for name, member in pairs(members) do
    if type(member) == "function" then members[name] = entry(member) end
  end
  local function index(_, name)
    if math.type(name) == "integer" then return nil end -- the end of a list
    name = tostring(name)
    if members[name] == nil then refuse(format("%s has no '%s'", what, name), suggest(name, names)) end
    return members[name]
  end
  return { __index = index, __tostring = text, __metatable = false }
end

-- Returns a text with the cells of `lines` in aligned columns, followed by `notes`, one per line.
function aligned(lines, notes)
  local function width(text) return utf8.len(text) or #text end
  local widths = {}
  for _, line in ipairs(lines) do
    for i, cell in ipairs(line) do widths[i] = math.max(widths[i] or 0, width(cell)) end
  end
  local texts = {}
  for _, line in ipairs(lines) do
    local padded = {}
    for i, cell in ipairs(line) do padded[i] = cell .. string.rep(" ", widths[i] - width(cell) + 2) end
    insert(texts, (string.gsub(concat(padded), " +$", "")))
  end
  return concat(append(texts, notes), "\n")
end
