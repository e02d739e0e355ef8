#!/usr/bin/env bash
# The answer store: no question is sent twice, over records, ranks, runs, settings and kills. Malformed answers, or
# answers that drop every record, end the run with an error and are sent again on request.
#   usage: answers_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2 worker=${COMPEER_TEST_WORKER:-$2/bin/compeer-worker}
work=$(mktemp -d -t compeer-answers.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

# 60 dialogues, 40 of them different.
python3 - <<'PY'
import json
with open("corpus.txt", "w") as file:
    for i in range(60):
        turns = [{"speaker": "usr", "text": f"I am sad {i % 40}"}, {"speaker": "sys", "text": "I hear you.", "strategy": "Question"}]
        file.write(json.dumps({"emotion_type": "anxiety", "dialog": turns}) + "\n")
PY
mkdir -p prompts/en
printf '%s\n' '{dialogue}' 'One of {answers}.' >prompts/en/filter.txt
printf '%s\n' '{"answer": "Sure! Here is my judgement:\n\n**keep**"}' >clear.jsonl
printf '%s\n' '{"contains": "sad 1", "answer": "keep or drop? I can not say"}' '{"answer": "keep"}' >unclear.jsonl
echo '{"answer": "incoherent"}' >incoherent.jsonl
cat >filter.toml <<'TOML'
name = "filter"
task = "data"
[dataset]
plugin = "esconv"
unit = "dialogue"
path = "corpus.txt"
[data]
concurrency = 8
[[stages]]
plugin = "filter"
prompts = "prompts"
chat.plugin = "scripted"
chat.table = "clear.jsonl"
TOML

# run NAME RANKS --resume|--fresh [--set ...]: runs the worker and sets $code to its exit code.
run() {
  local folder=results/$1 ranks=$2 launcher=()
  mkdir -p "$folder"
  "$build/bin/compeer" resolve filter.toml --set "name=$1" --set "ranks=$ranks" "${@:4}" --json >"$folder/spec.json"
  ((ranks > 1)) && launcher=(mpirun -n "$ranks" --oversubscribe --bind-to none)
  code=0
  "${launcher[@]}" "$worker" "$folder" "$3" >"$folder/log.txt" 2>&1 || code=$?
}
fail() { echo "FAILED  $1"; tail -n 20 "${2:-/dev/null}"; exit 1; }
asked() { cat "results/$1/asked/"*.jsonl 2>/dev/null | grep -c . || true; }

run two 2 --resume
[[ $code == 0 && $(asked two) == 40 ]] || fail "equal questions on two ranks: $(asked two) requests" results/two/log.txt
grep -q "01-filter: sending requests to .* requests for records" results/two/log.txt || fail "an announcement" results/two/log.txt
rm -r results/.stages
run two 1 --fresh --set data.max_failed=0.5 --set stages.0.tries=2 --set stages.0.max_tokens=64
[[ $code == 0 && $(asked two) == 0 ]] || fail "asked again, anew and with other limits: $(asked two)" results/two/log.txt
rm -r results/.stages
run other 1 --resume --set seed=7
[[ $code == 0 && $(asked other) == 0 ]] || fail "asked again by another run" results/other/log.txt
echo "ok      nothing is asked twice"

# Killed repeatedly. summary.json counts the requests of all starts, except those whose answer was stored just before a
# kill and not counted yet.
run_killed() {
  mkdir -p killed/run
  "$build/bin/compeer" resolve filter.toml --set name=run --set data.concurrency=1 --json >killed/run/spec.json
  for seconds in 0.2 0.3 0.4 0.5; do
    "$worker" killed/run --resume >>killed/log.txt 2>&1 &
    sleep "$seconds" # timing varies the point of the kill; the result must not depend on it
    kill -9 "$!" 2>/dev/null || true
    wait "$!" 2>/dev/null || true
  done
  "$worker" killed/run --resume >>killed/log.txt 2>&1 || fail "after kills" killed/log.txt
}
run_killed
python3 - killed <<'PY'
import glob, json, sys
answers = [json.loads(line) for file in glob.glob("killed/answers/*.jsonl") for line in open(file)]
assert len(answers) == len({a["key"] for a in answers}) == 40, len(answers)
paid = json.load(open("killed/run/summary.json"))["details"]["chats"]
kills = 4
assert len(paid) == 1 and all(40 - kills <= sum["requests"] <= 40 for sum in paid.values()), paid
PY
echo "ok      over kills"

# A third of the answers is malformed: each run ends with an error with examples, until more malformed answers are
# allowed or the questions are sent again. 6 of 60 questions may be malformed, so 8 of the first 16 are too many, for
# any number of ranks.
for try in first again; do
  run unclear 1 --resume --set stages.0.chat.table=unclear.jsonl
  [[ $code == 4 ]] || fail "unreadable answers, $try: exit $code" results/unclear/log.txt
  grep -q "8 of 16 questions got no answer that could be parsed, so the stage stopped after 16 of 60 records; 'data.max_malformed' allows a share of 0.1. For example: 'keep or drop? I can not say'" \
    results/unclear/log.txt || fail "three examples, $try" results/unclear/log.txt
  grep -q "results/unclear/stages/01-filter.dropped.jsonl.*: compeer data answers $work/results --malformed --drop && compeer resume $work/results/unclear" \
    results/unclear/log.txt || fail "the command that asks again" results/unclear/log.txt
done
[[ $(asked unclear) == 32 ]] || fail "$(asked unclear) requests: 8 read at once, 8 asked three times" results/unclear/log.txt
grep -q '"answer":"keep or drop? I can not say"' results/unclear/stages/01-filter.dropped.jsonl || fail "the raw answer"
for ranks in 2 3; do
  rm -rf "apart$ranks" && mkdir "apart$ranks"
  (cd "apart$ranks" && ln -s ../filter.toml ../corpus.txt ../prompts ../unclear.jsonl . && run unclear "$ranks" --resume --set stages.0.chat.table=unclear.jsonl
    [[ $code == 4 ]] && grep -q "8 of 16 questions got .* so the stage stopped after 16 of 60 records" results/unclear/log.txt) ||
    fail "ends elsewhere on $ranks ranks" "apart$ranks/results/unclear/log.txt"
  cmp "apart$ranks/results/unclear/stages/01-filter.dropped.jsonl" results/unclear/stages/01-filter.dropped.jsonl || fail "what was dropped on $ranks ranks"
done
run unclear 1 --resume --set stages.0.chat.table=unclear.jsonl --set data.max_malformed=0.5
[[ $code == 0 && $(asked unclear) == 62 ]] || fail "more is allowed" results/unclear/log.txt
"$build/bin/compeer" data answers --malformed --json | grep -q '"total":{"answers":33,"malformed":33' || fail "data answers"
"$build/bin/compeer" data answers --malformed --drop >/dev/null
rm -r results/.stages
run unclear 1 --fresh --set stages.0.chat.table=unclear.jsonl --set data.max_malformed=0.5
[[ $code == 0 && $(asked unclear) == 33 ]] || fail "asked again on request: $(asked unclear)" results/unclear/log.txt
echo "ok      what can't be read"

# An endpoint refuses a quarter of the questions: the error contains its reason, not only the log.
echo '{"contains": "sad 1", "failure": "HTTP 400: the prompt is too long"}' | cat - clear.jsonl >refusing.jsonl
run refused 1 --resume --set stages.0.chat.table=refusing.jsonl
[[ $code == 4 ]] || fail "refused requests: exit $code" results/refused/log.txt
grep -q "did not answer .* of .* questions; .* Reasons: HTTP 400: the prompt is too long" results/refused/log.txt ||
  fail "the endpoint's reason" results/refused/log.txt
grep -q "compeer resume $work/results/refused" results/refused/log.txt || fail "how to go on" results/refused/log.txt
echo "ok      what an endpoint refuses"

for try in first again; do
  run gone 1 --resume --set stages.0.chat.table=incoherent.jsonl
  [[ $code == 4 ]] || fail "everything dropped, $try: exit $code" results/gone/log.txt
  grep -q "dropped all of 60 records: incoherent 60" results/gone/log.txt || fail "why" results/gone/log.txt
done
[[ $(wc -l <results/gone/stages/01-filter.dropped.jsonl) == 60 ]] || fail "what was dropped"
echo "ok      a stage that drops everything"
