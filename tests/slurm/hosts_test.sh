#!/usr/bin/env bash
# Two hosts on one machine: network namespaces on a bridge, each with its own host name, under mpirun. The results have
# the same bits as on one host; errors name a killed rank and a broken network.
# usage: hosts_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
tag=cp$$ # interface names are limited to 15 characters
skip() { echo "skipped: $1"; exit 77; }
command -v ip >/dev/null || skip "ip is not installed (apt-get install iproute2)"
command -v mpirun >/dev/null || skip "mpirun is not installed"
ip netns add "$tag" 2>/dev/null || skip "network namespaces are not allowed here (CAP_NET_ADMIN, CAP_SYS_ADMIN)"
ip netns delete "$tag"

work=$(mktemp -d -t compeer-hosts.XXXXXX)
pids=()
tidy() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
  for host in 1 2; do
    for pid in $(ip netns pids "$tag$host" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    ip netns delete "$tag$host" 2>/dev/null
  done
  ip link delete "$tag" 2>/dev/null
  rm -rf "$work"
}
trap tidy EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir COMPEER_PLUGIN_PATH=$build/plugins

# A bridge and two hosts, 10.77.0.1 and 10.77.0.2.
build_network() {
  ip link add "$tag" type bridge && ip link set "$tag" up || return 1
  for host in 1 2; do
    ip netns add "$tag$host" &&
      ip link add "$tag-$host" type veth peer name eth0 netns "$tag$host" &&
      ip link set "$tag-$host" master "$tag" up &&
      ip -n "$tag$host" address add "10.77.0.$host/24" dev eth0 &&
      ip -n "$tag$host" link set eth0 up && ip -n "$tag$host" link set lo up || return 1
  done
}
build_network || skip "a bridge of two namespaces can't be made here"

# The remote shell that mpirun uses instead of ssh: agent ADDRESS COMMAND...
cat >agent <<END
#!/bin/bash
host=\${1##*.}
shift
exec ip netns exec "$tag\$host" unshare --uts bash -c 'hostname "node\$0"; eval "\$*"' "\$host" "\$*"
END
chmod +x agent

# start NAME [--resume]: two ranks, one on each host; mpirun itself runs on the first.
start() {
  ip netns exec "${tag}1" unshare --uts bash -c 'hostname node1; exec "$@"' - \
    mpirun -n 2 --bind-to none --host 10.77.0.1:1,10.77.0.2:1 --mca plm_rsh_agent "$work/agent" --mca btl tcp,self \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 -x COMPEER_HOME -x COMPEER_PLUGIN_PATH \
    "$build/bin/compeer-worker" "$@" >>"$1/log.txt" 2>&1 &
  pids+=($!)
}
make_run() { # NAME STEPS
  mkdir -p "$1"
  "$build/bin/compeer" resolve "$source_dir/experiments/smoke_grpo.toml" --set "grpo.steps=$2" --set checkpoint.every=2 \
    --set watchdog.seconds=5 --json >"$1/spec.json"
}
fingerprint() { (cd "$1/checkpoints/last" && sha256sum model.safetensors optimizer.safetensors); }
fail() { echo "FAILED  $2"; tail -n 30 "$1/log.txt"; exit 1; }
ok() { echo "ok      $1"; }
reaches_step_3() { # NAME
  local deadline=$((SECONDS + 60))
  until [[ -e $1/checkpoints/step-000002 ]]; do
    ((SECONDS > deadline)) && fail "$1" "the run does not start"
    sleep 0.1
  done
}
rank_on() { # HOST: prints the pid of its worker
  local pid
  for pid in $(ip netns pids "$tag$1"); do [[ $(<"/proc/$pid/comm") == compeer-worker ]] && echo "$pid"; done
}

# 1. Without faults.
make_run alone 40
"$build/bin/compeer-worker" alone >alone/log.txt 2>&1 || fail alone "the reference"
make_run two 40
start two
wait "${pids[-1]}" || fail two "the run over two hosts ended with $?"
[[ $(fingerprint two) == "$(fingerprint alone)" ]] || fail two "two hosts give other bits than one"
ok "two hosts give the same bits as one process"

# 2. A rank is killed, which was alone on its host.
make_run killed 40
start killed
reaches_step_3 killed
kill -9 "$(rank_on 2)"
wait "${pids[-1]}"
code=$?
[[ $code == 137 && $(<killed/log.txt) == *"on node 10.77.0.2 exited on signal 9"* ]] || fail killed "exit code $code"
ok "a rank that is killed is named with its host"

# 3. The network is cut. The ranks end by themselves; mpirun waits for its daemon, so the test kills it.
make_run cut 40
start cut
reaches_step_3 cut
ip link set "$tag-2" down
deadline=$((SECONDS + 60))
until [[ -z $(rank_on 1)$(rank_on 2) ]]; do
  ((SECONDS > deadline)) && fail cut "ranks outlive the network"
  sleep 0.1
done
[[ $(<cut/error.json) == *'"exit":86'* ]] || fail cut "error.json does not say what happened: $(<cut/error.json)"
kill -9 "${pids[-1]}"
wait "${pids[-1]}" 2>/dev/null
ip link set "$tag-2" up
start cut --resume
wait "${pids[-1]}" || fail cut "the run can't go on: $?"
[[ $(fingerprint cut) == "$(fingerprint alone)" ]] || fail cut "after the cut the bits are others"
ok "when the network is cut the watchdog ends the run, and it goes on with the same bits"
