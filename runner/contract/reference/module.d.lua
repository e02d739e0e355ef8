---@meta compeer

-- Declarations of the Lua module `compeer` for lua-language-server; docs/lua.md documents it. `compeer plugins stubs
-- >compeer.d.lua` writes this file together with the settings of every plugin found.

---@class compeer
---@field quick boolean whether the script was asked for its smallest form (`compeer run --quick`)
---@field folder string the folder of its runs; default: "results"
local compeer = {}

---An experiment from a TOML file, looked for in the script's folder and those above it, in `$COMPEER_HOME`, in the
---current folder.
---@param file string
---@return compeer.Experiment
function compeer.load(file) end

---An experiment from a table.
---@param spec compeer.Spec
---@return compeer.Experiment
function compeer.experiment(spec) end

---All combinations of these values, as a list of experiments that are named after them.
---@param base compeer.Experiment
---@param values table<string, any[]> dotted keys: `{ ["grpo.clip"] = { 0.1, 0.2 }, seed = { 1, 2, 3 } }`
---@return compeer.Runs
function compeer.sweep(base, values) end

---A list of any experiments.
---@param experiments (compeer.Experiment|compeer.Experiment[])[]
---@return compeer.Runs
function compeer.runs(experiments) end

---A list of any results.
---@param results (compeer.Result|compeer.Result[])[]
---@return compeer.Results
function compeer.results(results) end

---@class compeer.Page
---@field title? string
---@field output string the page's file
---@field runs (compeer.Result|compeer.Result[])[]
---@field frontier? compeer.Frontier|compeer.Frontier[]

---Writes a page about runs.
---@param options compeer.Page
function compeer.report(options) end

---Runs all rows with all seeds and shows their figures: means over seeds, and the differences declared beforehand.
---@param declaration compeer.StudyDeclaration
---@return compeer.Study
function compeer.study(declaration) end

---Mean and 95 % interval (Student's t) of independent values, such as one of each seed. A single value has no interval.
---@param values table<any, number>
---@return compeer.Interval
function compeer.interval(values) end

---The differences between values and those of the same key in `base`: their mean with its 95 % interval.
---@param values table<any, number>
---@param base table<any, number>
---@return compeer.Difference
function compeer.difference(values, base) end

---Holm's correction for several tests.
---@param p_values number[]
---@return number[]
function compeer.holm(p_values) end

---@class compeer.Interval
---@field mean number NaN if there is no value
---@field n integer number of values
---@field low? number
---@field high? number
---@field half? number half of its width

---@class compeer.Difference: compeer.Interval
---@field clear boolean whether the interval excludes zero
---@field p? number of the paired t test

---@class compeer.StudyDeclaration
---@field name string
---@field seeds integer|integer[] number of seeds (from 1), or a list of seeds
---@field rows (string|table)[] names, or tables that begin with one: `{ "slow", lr = 1e-5 }`
---@field run fun(seed: integer, row: table): compeer.Result|compeer.Experiment
---@field figures (string|compeer.Figure)[]
---@field against? string the row that all others are compared with
---@field contrasts? [string, string, string[]?][] pairs of rows, the first minus the second, and figures to compare
---@field kept? string folder for the figures of each seed; seeds that are stored there are not run again

---@class compeer.Figure
---@field [1] string its title
---@field [2]? string|fun(run: compeer.Result, row: table): number? the figure's name, or what computes it
---@field better? "higher"|"lower"|"neither"

---@class compeer.Study
---@field name string
---@field runs compeer.Results
local study = {}

---The mean over seeds with its 95 % interval.
---@param row string
---@param figure string its title or name
---@return compeer.Interval
function study:interval(row, figure) end

---The row minus the base, seed by seed.
---@param row string
---@param base string
---@param figure string its title or name
---@return compeer.Difference
function study:difference(row, base, figure) end

---The settings of a run. Immutable.
---@class compeer.Experiment
---@field name string
local experiment = {}

---A changed copy. Tables are merged; plain values and lists replace what was there.
---@param changes compeer.Spec
---@return compeer.Experiment
function experiment:with(changes) end

---The value that a setting has in the run, defaults included.
---@param key string a dotted path: "grpo.lr"
---@return any
function experiment:get(key) end

---All settings of the run, defaults included.
---@return compeer.Spec
function experiment:resolve() end

---The runs that its settings name, `path = { run = "esc-world-sft" }`: names by dotted path of the setting.
---@return table<string, string>
function experiment:inputs() end

---Runs it and waits, after runs that it names and that haven't finished. With `check = false` a failure is a value.
---@param options? { check?: boolean }
---@return compeer.Result
function experiment:launch(options) end

---A path that is named by the run whose output it is.
---@class compeer.Output
---@field run string the run's name

---The result of a run.
---@class compeer.Result
---@field name string
---@field path string the run's folder
---@field output compeer.Output the run as a setting names it: `model = { path = trained.output }`
---@field checkpoint string its last checkpoint, to go on from
---@field state "finished"|"failed"
---@field reused boolean whether it had finished before and was read back
---@field stages string of a data run: the outcome of each stage, as text to print
---@field records string of a data run: the file of the records after the last stage, or after this stage
---@field exit integer 0, or the exit code of a run that failed
---@field error? string what went wrong
---@field [string] number any metric of the run: result.reward, result["rewards/format/complete"]
local result = {}

---The 95 % interval of a metric of an evaluation, over its prompts; nothing where there is none.
---@param metric string
---@return number? low
---@return number? high
function result:interval(metric) end

---A setting it ran with.
---@param key string
---@return any
function result:get(key) end

---A stage of a data run: its figures alone, and its records.
---@param label string the stage's label, or its plugin
---@return compeer.Result
function result:stage(label) end

---@class compeer.Runs
---@field [integer] compeer.Experiment
local runs = {}

---Runs all of them, as many at the same time as `jobs` says.
---@param options? { jobs?: integer }
---@return compeer.Results
function runs:run(options) end

---@class compeer.Results
---@field [integer] compeer.Result
local results = {}

---Runs grouped by the columns that are settings; the other columns are metrics.
---@param ... string
---@return compeer.Table
function results:table(...) end

---The differences between runs and the base runs (those with the values of `against`), paired.
---@param columns string[]|{ against: table<string, any>, pair?: string|string[] }
---@return compeer.Comparison
function results:compare(columns) end

---@class compeer.ResultsPage
---@field output string the page's file
---@field title? string
---@field columns? string[]
---@field against? table<string, any>
---@field pair? string|string[]
---@field frontier? compeer.Frontier|compeer.Frontier[]

---Writes a page about the runs.
---@param options string|compeer.ResultsPage
function results:report(options) end

---@class compeer.Frontier
---@field x string a metric
---@field y string another

---@class compeer.Estimate
---@field mean number
---@field low? number
---@field high? number
---@field n integer

---@class compeer.Table
---@field rows table<string, compeer.Estimate|any>[]
---@field failed string[] lines about runs that failed

---@class compeer.Comparison
---@field rows table<string, compeer.Estimate|any>[]
---@field left_out string[] lines about runs that were left out
