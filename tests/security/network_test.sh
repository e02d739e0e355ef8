#!/usr/bin/env bash
# No process of a run listens on a socket that others could connect to, except `mpirun` itself for several ranks.
#   usage: network_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
# shellcheck source=tests/security/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for name in ${!SLURM_*} ${!OMPI_MCA_*}; do unset "$name"; done

# A slow Lua reward keeps the run in its first step until its sockets are listed.
cat >slow.lua <<'LUA'
return function() local x = 0 ; for i = 1, 1e10 // 1 | 0 do x = x + i end ; return x end
LUA
sed 's/plugin = "format"/plugin = "lua"\npath = "slow.lua"\ninstructions = 100000000000/; s/^name .*/name = "x"/' "$smoke" >x.toml

# descends PID: prints the pids of the process and all its descendants.
descends() {
  echo "$1"
  local child
  for child in $(pgrep -P "$1"); do descends "$child"; done
}

# listening PID: prints the addresses that it listens on, in the kernel's notation.
listening() {
  local entry target
  for entry in "/proc/$1/fd/"*; do
    target=$(readlink "$entry") || continue
    [[ $target == socket:* ]] || continue
    awk -v inode="${target//[^0-9]/}" 'FNR > 1 && $10 == inode && $4 == "0A" { print "tcp " $2 }' \
      "/proc/$1/net/tcp" "/proc/$1/net/tcp6"
    awk -v inode="${target//[^0-9]/}" '$7 == inode && $4 == "00010000" { print "unix " $8 }' "/proc/$1/net/unix"
  done
}

# looks RANKS: starts a run, waits until all ranks are connected, and prints "PROGRAM ADDRESS" of each listening socket.
looks() {
  local ranks=$1 run process
  "$compeer" run x.toml --ranks "$ranks" --results "r$ranks" >said 2>&1 &
  run=$!
  until grep -qs 'memory of a rank, estimated' "r$ranks/x/log.txt"; do
    kill -0 "$run" 2>/dev/null || fail "the run ended: $(<said)"
    sleep 0.05
  done
  for process in $(descends "$run"); do
    listening "$process" | sed "s/^/$(<"/proc/$process/comm") /"
  done
  # A second signal is effective only a second after the first.
  while kill -TERM "$run" 2>/dev/null; do sleep 0.05; done
  wait "$run" || true
}

alone=$(looks 1)
[[ -z $alone ]] || fail "a run of one rank can be connected to: $alone"

command -v mpirun >/dev/null || { echo "mpirun is not there: runs of several ranks were not looked at"; exit 0; }
together=$(looks 2)
if ranks=$(grep -v '^mpirun ' <<<"$together"); then fail "of a run of two ranks others can be connected to: $ranks"; fi
[[ -n $together ]] || fail "mpirun was not seen: is this test still looking?"
