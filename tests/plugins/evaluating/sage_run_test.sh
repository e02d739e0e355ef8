#!/usr/bin/env bash
# Whole runs of SAGE: the same records with 1 and 2 ranks and after kill -9 at any moment, without sending an answered
# question again; and scoring the stored dialogues again gives the same scores.
#   usage: sage_run_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-sage.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

for i in $(seq 60); do
  echo "{\"id\": \"p$i\", \"player\": \"A baker.\", \"scene\": \"Oven $i broke.\", \"task\": \"to be heard\", \"first_talk\": \"My oven, number $i, broke.\"}"
done >profiles.jsonl
cat >seeker.jsonl <<'JSON'
{"contains": "Oven 7 broke", "answer": "no idea"}
{"contains": "how does the seeker's emotion change", "answer": ["?", "Change: +5"]}
{"contains": "what does the seeker say next", "answer": "Response: Well."}
JSON
echo '{"answer": "Why?"}' >helper.jsonl
cat >sage.toml <<'TOML'
name = "sage"
task = "data"
[dataset]
plugin = "profiles"
path = "profiles.jsonl"
[[stages]]
plugin = "sage"
simulator = { plugin = "scripted", table = "seeker.jsonl" }
supporter = { plugin = "scripted", table = "helper.jsonl" }
TOML

make_run() {
  mkdir -p "$1"
  "$build/bin/compeer" resolve sage.toml --set "ranks=$2" --set data.concurrency=8 --json >"$1/spec.json"
}
start() {
  setsid mpirun -n "$2" --oversubscribe --bind-to none "$build/bin/compeer-worker" "$1" --resume >>"$1/log.txt" 2>&1 &
}
finish() { wait "$!" || { echo "FAILED  $1 ended with $?"; cat "$1/log.txt"; exit 1; }; }
fingerprint() { (cd "$1/stages" && sha256sum -- *.jsonl) | sha256sum; }
same() { [[ $(fingerprint "$1") == "$expected" ]] || { echo "FAILED  $1 differs"; exit 1; }; }

make_run one/sage 1
start one/sage 1 && finish one/sage
expected=$(fingerprint one/sage)
make_run two/sage 2
start two/sage 2 && finish two/sage
same two/sage

make_run killed/sage 2
for seconds in 0.2 0.3 0.4 0.5 0.6; do
  start killed/sage 2
  sleep "$seconds" # timing varies the point of the kill; the result must not depend on it
  kill -9 -- "-$!" 2>/dev/null || true
  wait "$!" 2>/dev/null || true
done
start killed/sage 2 && finish killed/sage
same killed/sage

"$build/bin/compeer" rescore sage one/sage/stages/01-sage.jsonl --json >rescored.json
python3 - <<'PY'
import glob, json

def answers(run):
    keys = []
    for file in glob.glob(f"{run}/sage/answers/*.jsonl"):
        for line in open(file, "rb"):
            try:
                keys.append(json.loads(line)["key"])
            except ValueError:
                pass  # the incomplete last line of a killed process
    return keys

assert sorted(answers("killed")) == sorted(answers("one")), "something was asked twice, or not at all"
summary = json.load(open("one/sage/summary.json"))["details"]["stages"][1]
found = summary["findings"]
# Without the dialogue whose simulator gave malformed answers: 40 plus nine times 5, ten utterances.
assert (found["n"], found["invalid"], found["mean_emotion"]["value"], found["rounds"]["value"]) == (59, 1, 85, 10), found
assert found["reasons"] == {"planning: malformed answer": 1}, found["reasons"]
assert json.loads(open("one/sage/stages/01-sage.dropped.jsonl").readline())["id"] == "p7"
again = json.load(open("rescored.json"))
for figure in found["columns"]:
    assert again[figure] == found[figure], figure
PY
echo "ok"
