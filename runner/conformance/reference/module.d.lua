---@meta compeer

-- Declarations of the Lua module `compeer` for lua-language-server; docs/lua.md documents it. `compeer plugins stubs
-- >compeer.d.lua` writes this file together with the settings of every plugin found.

---@class compeer
---@field quick boolean true if the smallest form of the script is requested (`compeer run --quick`)
---@field folder string folder of the runs; default: "results"
local compeer = {}

---Loads an experiment from a TOML file. Searches the script's folder and its parents, then `$COMPEER_HOME`, then the
---current folder.
---@param file string
---@return compeer.Experiment
function compeer.load(file) end

---Makes an experiment from a table.
---@param spec compeer.Spec
---@return compeer.Experiment
function compeer.experiment(spec) end

---Returns a list with one experiment for each combination of the values, named after them.
---@param base compeer.Experiment
---@param values table<string, any[]> dotted keys: `{ ["grpo.clip"] = { 0.1, 0.2 }, seed = { 1, 2, 3 } }`
---@return compeer.Runs
function compeer.sweep(base, values) end

---Makes a list of experiments.
---@param experiments (compeer.Experiment|compeer.Experiment[])[]
---@return compeer.Runs
function compeer.runs(experiments) end

---Makes a list of results.
---@param results (compeer.Result|compeer.Result[])[]
---@return compeer.Results
function compeer.results(results) end

---@class compeer.Page
---@field title? string
---@field output string file to write
---@field runs (compeer.Result|compeer.Result[])[]
---@field frontier? compeer.Frontier|compeer.Frontier[]

---Writes an HTML report about runs.
---@param options compeer.Page
function compeer.report(options) end

---Runs all rows with all seeds and prints their figures: means over seeds, and the declared differences between rows.
---@param declaration compeer.StudyDeclaration
---@return compeer.Study
function compeer.study(declaration) end

---Returns mean and 95 % interval (Student's t) of independent values, such as one per seed. A single value has no
---interval.
---@param values table<any, number>
---@return compeer.Interval
function compeer.interval(values) end

---Returns the mean difference between values and those with the same key in `base`, with its 95 % interval.
---@param values table<any, number>
---@param base table<any, number>
---@return compeer.Difference
function compeer.difference(values, base) end

---Returns the p-values with Holm's correction for multiple tests, in the same order.
---@param p_values number[]
---@return number[]
function compeer.holm(p_values) end

---@class compeer.Interval
---@field mean number NaN if there is no value
---@field n integer number of values
---@field low? number lower end of the 95 % interval
---@field high? number upper end
---@field half? number half of the interval's width

---@class compeer.Difference: compeer.Interval
---@field clear boolean true if the interval excludes zero
---@field p? number p-value of the paired t test; not corrected for multiple tests

---@class compeer.StudyDeclaration
---@field name string
---@field seeds integer|integer[] number of seeds (from 1), or a list of seeds
---@field rows (string|table)[] names, or tables that begin with one: `{ "slow", lr = 1e-5 }`
---@field run fun(seed: integer, row: table): compeer.Result|compeer.Experiment makes the run of a row with a seed
---@field figures (string|compeer.Figure)[]
---@field against? string row with which all others are compared
---@field contrasts? [string, string, string[]?][] pairs of rows, the first minus the second, and titles of figures
---@field kept? string folder in which the figures of each seed are stored; what is stored is not run again

---@class compeer.Figure
---@field [1] string title of the column
---@field [2]? string|fun(run: compeer.Result, row: table): number? metric, or a function; default: the title
---@field better? "higher"|"lower"|"neither" direction for the marks of the best rows; default: "higher"

---@class compeer.Study
---@field name string
---@field runs compeer.Results
local study = {}

---Returns the mean over seeds with its 95 % interval.
---@param row string
---@param figure string title or name of the figure
---@return compeer.Interval
function study:interval(row, figure) end

---Returns the mean difference between the row and the base, paired by seed.
---@param row string
---@param base string
---@param figure string title or name of the figure
---@return compeer.Difference
function study:difference(row, base, figure) end

---The settings of a run. Immutable.
---@class compeer.Experiment
---@field name string
local experiment = {}

---Returns a changed copy. Tables are merged; plain values and lists replace the old value.
---@param changes compeer.Spec
---@return compeer.Experiment
function experiment:with(changes) end

---Returns the value of a setting, defaults included.
---@param key string a dotted path: "grpo.lr"
---@return any
function experiment:get(key) end

---Returns all settings of the run, defaults included.
---@return compeer.Spec
function experiment:resolve() end

---Returns the names of the runs that settings name, as in `path = { run = "esc-world-sft" }`, by dotted path of the
---setting.
---@return table<string, string>
function experiment:inputs() end

---Runs the experiment and waits for it; first makes unfinished runs that its settings name. Raises an error if the run
---fails, unless `check = false`.
---@param options? { check?: boolean }
---@return compeer.Result
function experiment:launch(options) end

---The value of a path setting that stands for the output of a run.
---@class compeer.Output
---@field run string name of the run

---The result of a run.
---@class compeer.Result
---@field name string
---@field path string folder of the run
---@field output compeer.Output value for a path setting of another run: `model = { path = trained.output }`
---@field checkpoint string folder of the best checkpoint if validation keeps it, otherwise of the last
---@field state "finished"|"failed"
---@field reused boolean true if the run had finished before and its results were read from its folder
---@field stages string data runs: outcome of each stage, as text to print
---@field records string data runs: file with the records after this stage, or after the last one
---@field exit integer exit code of a failed run; otherwise 0
---@field error? string message of a failed run
---@field [string] number any metric of the run: result.reward, result["rewards/format/complete"]
local result = {}

---Returns the 95 % interval of a metric over the prompts of an evaluation; nothing if it has none.
---@param metric string
---@return number? low
---@return number? high
function result:interval(metric) end

---Returns a setting of the run.
---@param key string
---@return any
function result:get(key) end

---Returns a result with the metrics and records of one stage of a data run.
---@param label string label of the stage (default: its plugin), or its file name: "judge", "05-judge"
---@return compeer.Result
function result:stage(label) end

---@class compeer.Runs
---@field [integer] compeer.Experiment
local runs = {}

---Runs all experiments, at most `jobs` (default: 1) at the same time.
---@param options? { jobs?: integer }
---@return compeer.Results
function runs:run(options) end

---@class compeer.Results
---@field [integer] compeer.Result
local results = {}

---Returns a table of the runs, grouped by those columns that are settings; the other columns are metrics.
---@param ... string
---@return compeer.Table
function results:table(...) end

---Returns the differences between runs and base runs, which have the values in `against`. Runs are paired by the
---settings in `pair` (default: "seed").
---@param columns string[]|{ against: table<string, any>, pair?: string|string[] }
---@return compeer.Comparison
function results:compare(columns) end

---@class compeer.ResultsPage
---@field output string file to write
---@field title? string
---@field columns? string[]
---@field against? table<string, any>
---@field pair? string|string[]
---@field frontier? compeer.Frontier|compeer.Frontier[]

---Writes an HTML report about the runs. A string is the file to write.
---@param options string|compeer.ResultsPage
function results:report(options) end

---@class compeer.Frontier
---@field x string metric on the horizontal axis
---@field y string metric on the vertical axis

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
