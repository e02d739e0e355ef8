#!/usr/bin/env bash
# Names of runs, plugins and files can't lead out of their folders, and control characters in them never reach a
# terminal.
#   usage: folders_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
# shellcheck source=tests/security/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
escape=$'\033'

# Names of runs, rewards and stages.
# shellcheck disable=SC2016
for name in ../x /tmp/x x/y . .. .x -x $'a\nb' $'a\033[2Jb' "a b" "x;reboot" '$(reboot)' $'\u202egpj.x' "x/" \
  "$(printf 'x%.0s' {1..101})" ""; do
  exits 3 "$compeer" resolve "$smoke" --set "name=\"${name//$'\n'/\\n}\""
  [[ $said != *"$escape"* ]] || fail "an escape sequence of a name reached the terminal"
  exits 3 "$compeer" run "$smoke" --set "rewards[0].label=\"${name//$'\n'/\\n}\"" --dry-run
done
[[ -z $(ls -A) ]] || fail "names of runs left something behind: $(ls -A)"

# Names of plugins.
mkdir -p elsewhere/rewards plugins
cp "$build_dir/plugins/rewards/length.so" elsewhere/rewards/length.so
for name in ../elsewhere/rewards/length "$work/elsewhere/rewards/length" length.so ./length rewards/length $'length\n' ..; do
  exits 3 "$compeer" resolve "$smoke" --set "rewards[1].plugin=\"${name//$'\n'/\\n}\""
  says "no reward plugin"
done
for name in ../x /tmp/x x/y .x "x y" $'x\n' ../../x; do
  exits 2 "$compeer" plugins new rewards "$name" --dir plugins
  exits 2 "$compeer" plugins new "../$name" x --dir plugins
done
[[ -z $(ls -A plugins) ]] || fail "plugins new made: $(ls -A plugins)"

# A script's reports and modules, and the errors about files that settings name. The worker is a stub.
cat >worker <<'SH'
#!/bin/sh
[ "$2" = open_plugins ] && exit 0
echo '{"task":"grpo","steps":1,"metrics":{"reward":{"mean":1,"low":1,"high":1,"n":1}}}' >"$1/summary.json"
echo '{"state":"finished","step":1,"steps":1,"phase":"train","metrics":{},"started":"","elapsed":1,"ranks":1}' >"$1/status.json"
SH
chmod +x worker
mkdir -p home/results away && cd home && ln -s "$work/away" results/link && ln -s "$work/away" link
for place in results/link/page.html link/page.html link/new/page.html; do
  cat >report.lua <<LUA
local compeer = require "compeer"
compeer.runs { compeer.load("experiments/smoke_grpo.toml"):with { name = "x" } }:run():report "$place"
LUA
  COMPEER_WORKER=$work/worker exits 4 "$compeer" run report.lua --ranks 1 -q
  says "a script's report can't be written there: a symbolic link leads out of the current folder"
  [[ -z $(ls -A ../away) ]] || fail "a report was written through a link: $(ls -A ../away)"
done
cat >read.lua <<'LUA'
local compeer = require "compeer"
local reward = { plugin = "lua", path = "/etc/passwd" }
local run = compeer.load("experiments/smoke_grpo.toml"):with { name = "y", rewards = { reward } }:launch()
print(run:get("rewards[0]").path, run:get("rewards[0]").script)
LUA
COMPEER_WORKER=$work/worker exits 0 "$compeer" run read.lua --ranks 1 -q
says $'/etc/passwd\tnil'
ln -s /etc/passwd leak.lua && echo 'require "leak"' >leaks.lua
exits 3 "$compeer" run leaks.lua
says "lies outside the script's folder"
[[ $said != *root:* ]] || fail "a module showed what a link leads to"
cd ..

# A run folder from an untrusted source, with symbolic links to files outside: nothing is written through them.
echo "dear to me" >mine
for name in log.txt .lock run.h5 rollouts checkpoints/step-000001/state.json; do
  rm -rf got && mkdir -p got/checkpoints/step-000001
  "$compeer" resolve "$smoke" --json >got/spec.json
  ln -s "$work/mine" "got/$name"
  exits "$([[ $name == .lock ]] && echo 1 || echo 4)" "$compeer" resume got
  says "got/$name"
  exits 4 "$build_dir/bin/compeer-worker" got --resume
  says "got/$name: is a link"
  [[ $(<mine) == "dear to me" ]] || fail "a run wrote through the link $name"
done
rm -rf got && mkdir got && "$compeer" resolve "$smoke" --json >got/spec.json && mkfifo got/log.txt
exits 4 "$compeer" resume got
says "is a link, a pipe or a device"

# Text of untrusted files on standard error.
printf 'name = "a\\u001b]0;owned\\u0007"\ntask = "\033[2J"\n' >evil.toml
exits 3 "$compeer" resolve evil.toml
[[ $said != *"$escape"* ]] || fail "an escape sequence of a TOML file reached the terminal"
printf 'error("\\27[2J\\7 owned")' >evil.lua
exits 3 "$compeer" run evil.lua
[[ $said != *"$escape"* && $said == *'\x1b[2J\x07 owned'* ]] || fail "an escape sequence of a script reached the terminal: $said"
mkdir -p $'results/\033[2J'
exits 2 "$compeer" resume $'results/\033[2J'
[[ $said != *"$escape"* ]] || fail "an escape sequence of a folder reached the terminal"
