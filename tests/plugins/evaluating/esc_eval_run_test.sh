#!/usr/bin/env bash
# Whole runs of ESC-Eval in which esc_world plays every part: the same records with 1 and 2 ranks, for any chunk size
# and after kill -9 at any moment; true quality next to the scores; and scoring the stored records again, with either
# parser, gives the same scores.
# usage: esc_eval_run_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-esc-eval.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

cat >esc_eval.toml <<'TOML'
name = "esc-eval"
task = "data"
[dataset]
plugin = "esc_world"
unit = "scenario"
test = 24
[data]
splits = ["test"]
[[stages]]
plugin = "esc_eval"
role_player = { plugin = "esc_world" }
supporter = { plugin = "esc_world", writer = "expert" }
judge = { plugin = "esc_world" }
second_judge = { plugin = "esc_world", seed = 1, judge_noise = 0.5 }
[[stages]]
plugin = "world_truth"
TOML

start() { # name, ranks, together
  mkdir -p "$1/esc-eval"
  "$build/bin/compeer" resolve esc_eval.toml --set "ranks=$2" --set "data.concurrency=$3" --json >"$1/esc-eval/spec.json"
  setsid mpirun -n "$2" --oversubscribe --bind-to none "$build/bin/compeer-worker" "$1/esc-eval" --resume >>"$1/log.txt" 2>&1 &
}
run() {
  start "$@"
  wait "$!" || { echo "FAILED  $1 ended with $?"; cat "$1/log.txt"; exit 1; }
  (cd "$1/esc-eval/stages" && sha256sum -- *.jsonl) >"$1/sums"
}
run one 1 24
run two 2 5
diff one/sums two/sums || { echo "FAILED  ranks make other records"; exit 1; }

for seconds in 0.5 0.9; do
  start killed 2 5
  sleep "$seconds" # timing varies the point of the kill; the result must not depend on it
  kill -9 -- "-$!" 2>/dev/null || true
  wait "$!" 2>/dev/null || true
done
run killed 2 5
diff one/sums killed/sums || { echo "FAILED  a run that was killed makes other records"; exit 1; }

for parser in strict upstream; do
  "$build/bin/compeer" rescore esc_eval one/esc-eval/stages/01-esc_eval.jsonl --set parser=$parser --json >$parser.json
done
python3 - <<'PY'
import json

stages = json.load(open("one/esc-eval/summary.json"))["details"]["stages"]
scored, true = stages[1]["findings"], stages[2]["findings"]
assert (scored["n"], scored["invalid"], true["n"], true["quality"]["n"]) == (24, 0, 24, 120), (scored["n"], true)
assert len(true["curves"]["quality"]) == 5
assert true["history"]["value"] == true["emotion"]["value"] == true["strategy"]["value"] == 1, "an expert knows the truth"
assert true["quality"]["value"] < true["unhabituated"]["value"], "five rounds repeat something"
assert scored["average"]["value"] > 80, scored["average"]
assert scored["judges"]["second_judge"]["fluency"]["value"] < scored["judges"]["judge"]["fluency"]["value"], "more noise"
for parser in ("strict", "upstream"):
    again = json.load(open(parser + ".json"))
    for figure in scored["columns"]:
        assert again[figure] == scored[figure], (parser, figure)
PY
echo "ok"
