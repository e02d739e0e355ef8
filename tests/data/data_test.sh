#!/usr/bin/env bash
# The task `data` writes the same files with 1, 2 and 4 ranks, for any portion size, and after kill -9 at any moment;
# finished stages are reused, and no question is sent to a chat model twice.
#   usage: data_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-data.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

cat >cer.toml <<'TOML'
name = "cer"
task = "data"
[dataset]
plugin = "esc_world"
unit = "dialogue"
rounds = 4
train = 40
[data]
splits = ["train"]
[[stages]]
plugin = "filter"
chat.plugin = "esc_world"
chat.world.rounds = 4
[[stages]]
plugin = "sample"
rounds = 2
[[stages]]
plugin = "generate"
writer.plugin = "esc_world"
writer.world.rounds = 4
[[stages]]
plugin = "annotate"
annotator.plugin = "esc_world"
annotator.world.rounds = 4
second_annotator.plugin = "esc_world"
second_annotator.seed = 2
second_annotator.world.rounds = 4
third_annotator.plugin = "esc_world"
third_annotator.seed = 3
third_annotator.world.rounds = 4
[[stages]]
plugin = "persona"
chat.plugin = "esc_world"
chat.world.rounds = 4
[[stages]]
plugin = "cluster"
[[stages]]
plugin = "rewrite"
chat.plugin = "esc_world"
chat.world.rounds = 4
[[stages]]
plugin = "deduplicate"
[[stages]]
plugin = "split"
again = ["train"]
TOML

# make_run FOLDER RANKS [--set ...]: makes a run folder as the front end does.
make_run() {
  local folder=$1 ranks=$2
  shift 2
  mkdir -p "$folder"
  "$build/bin/compeer" resolve cer.toml --set "ranks=$ranks" "$@" --json >"$folder/spec.json"
}
start() {
  local folder=$1 ranks=$2 launcher=()
  ((ranks > 1)) && launcher=(mpirun -n "$ranks" --oversubscribe --bind-to none)
  setsid "${launcher[@]}" "$build/bin/compeer-worker" "$folder" --resume >>"$folder/log.txt" 2>&1 &
}
finish() { wait "$!" || { echo "FAILED  $1 ended with $?"; cat "$1/log.txt"; exit 1; }; }
fingerprint() { (cd "$1/stages" && sha256sum -- *.jsonl) | sha256sum; }
same() {
  [[ $(fingerprint "$1") == "$expected" ]] && echo "ok      $1" && return
  echo "FAILED  $1 differs"
  exit 1
}

make_run one/cer 1
start one/cer 1 && finish one/cer
expected=$(fingerprint one/cer)
[[ $(ls one/cer/stages/*.dropped.jsonl | wc -l) == 10 && -s one/cer/stages/09-split.jsonl ]] || { echo "FAILED  files"; exit 1; }

for case in "two 2 32" "four 4 7"; do
  read -r name ranks together <<<"$case"
  make_run "$name/cer" "$ranks" --set "data.concurrency=$together"
  start "$name/cer" "$ranks" && finish "$name/cer"
  same "$name/cer"
done

# Killed repeatedly, each time a little later, then left to finish.
make_run killed/cer 2
for seconds in 0.15 0.3 0.45 0.6 0.75; do
  start killed/cer 2
  sleep "$seconds" # timing varies the point of the kill; the result must not depend on it
  kill -9 -- "-$!" 2>/dev/null || true
  wait "$!" 2>/dev/null || true
done
echo '{"state":"running","step":1,"steps":2,"phase":"","metrics":{},"started":"2025-03-01T12:34:56Z","elapsed":3600,"ranks":2}' \
  >killed/cer/status.json
start killed/cer 2 && finish killed/cer
same killed/cer
grep -q '"elapsed":36.*"started":"2025-03-01T12:34:56Z"' killed/cer/status.json || # summed over all starts
  { echo "FAILED  status.json of a resumed run"; cat killed/cer/status.json; exit 1; }

# A second run with the same stages: they are reused, and no request is sent.
make_run one/again 1 --set name=again
start one/again 1 && finish one/again
same one/again
python3 - one/again/summary.json <<'PY'
import json, sys
stages = json.load(open(sys.argv[1]))["details"]["stages"]
assert all(stage["reused"] for stage in stages), stages
PY
echo "ok      found again"

# A stage that needs all records gives the same result for records made by this run and for reused ones.
make_run one/other 2 --set name=other --set stages.8.valid=0.3
start one/other 2 && finish one/other
make_run apart/other 1 --set name=other --set stages.8.valid=0.3
start apart/other 1 && finish apart/other
[[ $(fingerprint one/other) == $(fingerprint apart/other) && $(fingerprint one/other) != "$expected" ]] || {
  echo "FAILED  a survey of what was found"
  exit 1
}
echo "ok      a survey of what was found"

# Files of a corpus: for any number of ranks the same records, and every unreadable record is reported by its own
# number.
python3 - <<'PY'
import json
turn = lambda i: [{"speaker": "usr", "text": f"我很难过 {i}"}, {"speaker": "sys", "text": "I hear \"you\".\n", "strategy": "Question"}]
with open("corpus.txt", "w", encoding="utf-8") as file:
    for i in range(300):
        text = json.dumps({"emotion_type": "anxiety", "dialog": turn(i % 290) * 3}, ensure_ascii=i % 2 == 0)
        file.write((text[: len(text) // 2] if i in (7, 130) else text) + "\n")
PY
cat >corpus.toml <<'TOML'
name = "corpus"
task = "data"
[dataset]
plugin = "esconv"
unit = "dialogue"
path = "corpus.txt"
[[stages]]
plugin = "deduplicate"
[[stages]]
plugin = "sample"
rounds = 2
[[stages]]
plugin = "split"
TOML
expected=
for ranks in 1 2 4; do
  mkdir -p "corpus-$ranks/run"
  "$build/bin/compeer" resolve corpus.toml --set "ranks=$ranks" --set "data.concurrency=$ranks" --json >"corpus-$ranks/run/spec.json"
  start "corpus-$ranks/run" "$ranks" && finish "corpus-$ranks/run"
  expected=${expected:-$(fingerprint corpus-1/run)}
  same "corpus-$ranks/run"
done
[[ $(grep -o '"record":[0-9]*' corpus-4/run/stages/00-esconv.dropped.jsonl | tr '\n' ' ') == '"record":8 "record":131 ' ]] || {
  echo "FAILED  records that can't be read"
  cat corpus-4/run/stages/00-esconv.dropped.jsonl
  exit 1
}
[[ $(wc -l <corpus-2/run/stages/01-deduplicate.dropped.jsonl) == 9 ]] || { echo "FAILED  duplicates"; exit 1; }
expected=$(fingerprint one/cer)

# On a full disk a stage ends with an error that names its file; the next run resumes.
make_run full/cer 1
(ulimit -f 160; trap '' XFSZ; exec "$build/bin/compeer-worker" full/cer) >>full/cer/log.txt 2>&1 && { echo "FAILED  no error"; exit 1; }
grep -q "can't be written: File too large" full/cer/log.txt || { cat full/cer/log.txt; exit 1; }
[[ ! -e full/cer/stages/.part/records.jsonl ]] || { echo "FAILED  what is not whole takes up the disk"; exit 1; }
start full/cer 1 && finish full/cer
same full/cer
