#!/usr/bin/env bash
# A secret key in the environment, a header, a URL or a file never appears in any output or in any file that compeer
# writes, for every command, failure and crash.
#   usage: secrets_test.sh SOURCE_DIR BUILD_DIR HDF5_VALUES
set -euo pipefail
# shellcheck source=tests/security/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which plays the endpoint, is not there"; exit 77; }

hdf5_values=$3
canary=sk-canary-0123456789abcdefghij
export OPENAI_API_KEY=$canary
mkdir given out
coproc python3 "$source_dir/tests/security/endpoint.py" "$work/given"
endpoint=$COPROC_PID
trap 'kill "$endpoint"; rm -rf "$work"' EXIT
read -r port <&"${COPROC[0]}"

# experiment NAME PATH: writes a data run that uses the endpoint.
experiment() {
  cat >"given/$1.toml" <<TOML
name = "$1"
task = "data"
# A note to myself, which belongs nowhere: $canary
[dataset]
plugin = "esc_world"
unit = "dialogue"
rounds = 2
train = 3
[data]
splits = ["train"]
[[stages]]
plugin = "filter"
chat = { plugin = "openai", url = "http://127.0.0.1:$port$2", name = "tiny", retries = 0, give_up = 1 }
TOML
}
experiment echo /v1
experiment refuse /refuse/v1
experiment silent /silent/v1
cd out

# tells COMMAND...: runs it with any exit code and appends its output to said.txt.
tells() { "$@" >>said.txt 2>&1 </dev/null || true; }

for name in echo refuse; do
  tells "$compeer" run "../given/$name.toml"
  [[ -s results/$name/log.txt ]] || fail "the run '$name' left no log"
done
# shellcheck disable=SC2016
grep -q 'the key in \$OPENAI_API_KEY' results/answers/*.jsonl || fail "the endpoint was not asked with the key"
# shellcheck disable=SC2016
grep -q 'the key in \$OPENAI_API_KEY' said.txt || fail "no error quotes what the endpoint sent"

grep -q "chat/openai: tiny: sends requests to http://127.0.0.1:$port/v1 with the key in \$OPENAI_API_KEY" \
  results/echo/log.txt ||
  fail "the log does not say who gets which key"

# Sampled tokens are stored compressed.
tells "$compeer" run "$smoke" --set name=sampled --set ranks=1 --set grpo.steps=2

# A crash during a request, on a system that would write a core dump.
ulimit -c unlimited 2>/dev/null || true
"$compeer" run ../given/silent.toml >>said.txt 2>&1 &
run=$!
until [[ -e ../given/asked ]]; do sleep 0.05; kill -0 "$run" || fail "the run ended: $(<said.txt)"; done
worker=$(pgrep -P "$run")
grep -q '^Max core file size *0 *0 ' "/proc/$worker/limits" || fail "a crash would leave the key in a core file"
kill -SEGV "$worker"
wait "$run" && fail "a run that crashed ended with 0"
grep -q 'signal 11' results/silent/log.txt || fail "nothing is told of the crash"

for name in echo refuse silent; do
  tells "$compeer" run "../given/$name.toml" --dry-run
  tells "$compeer" resolve "../given/$name.toml" --json
  tells "$compeer" resolve "../given/$name.toml" --origins
  tells "$compeer" submit "../given/$name.toml" --dry-run
  [[ $name == silent ]] || tells "$compeer" resume "results/$name"
  tells "$compeer" log show "results/$name" --json
  tells "$compeer" log verify "results/$name"
  tells "$compeer" log watch "results/$name"
  tells "$compeer" report "results/$name" --output "$name.html"
done
tells "$compeer" log export results/echo --csv echo.csv
tells "$compeer" log diff results/echo results/refuse
tells "$compeer" plugins list -v
tells "$compeer" plugins inspect chat/openai -v --json
tells "$compeer" plugins check "$build_dir/plugins/chat/openai.so" --set "url=http://127.0.0.1:$port/v1" --set name=tiny
tells "$compeer" doctor --json
tells "$compeer" chat nowhere
tells "$compeer" no-such-command

# Keys in settings that must not contain any are refused before anything is written, and not repeated in the error.
for set in "url=http://user:$canary@127.0.0.1:$port/v1" "url=http://127.0.0.1:$port/v1?api_key=$canary" \
  "extra.api_key=$canary" "name=$canary" "url=http://${canary}@127.0.0.1/v1" "concurrent=$canary"; do
  for command in run resolve submit; do
    exits 3 "$compeer" "$command" ../given/echo.toml --set "name=refused" --set "stages[0].chat.$set"
    printf '%s\n' "$said" >>said.txt
    [[ ! -e results/refused ]] || fail "a run with '$set' left a folder behind"
  done
done
cat >../given/study.lua <<LUA
local compeer = require "compeer"  -- api key: $canary
local base = compeer.load "echo.toml"
base:with { name = "study" }:launch()
LUA
tells "$compeer" run ../given/study.lua
echo "error('with $canary')" >>../given/study.lua
exits 3 "$compeer" run ../given/study.lua
printf '%s\n' "$said" >>said.txt
[[ -e results/study/spec.json ]] || fail "the script made no run"

# Also in compressed HDF5 values. A word that occurs only in these values shows that they are searched.
find . -name '*.h5*' -not -name '*.lock' -exec "$hdf5_values" {} + >values.txt || fail "HDF5 files can't be read"
word='<|im_start|>'
! grep -raqF "$word" --include='*.h5' results/sampled || fail "rollouts are not compressed"
grep -aqF "$word" values.txt || fail "the values of HDF5 files are not seen"

[[ $(wc -l <said.txt) -gt 200 ]] || fail "the commands said next to nothing"
if found=$(grep -rlaF "${canary#sk-}" "$work/out" "$work/cache" "$work/data" 2>/dev/null); then
  fail "the key is in: $found"
fi
