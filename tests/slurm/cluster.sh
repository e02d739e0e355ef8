# shellcheck shell=bash
# Starts a real Slurm in a temporary folder: munged, slurmctld and a slurmd for each of two nodes with two processors,
# as the current user, without systemd and independent of the machine's own Slurm. For tests that source this file.
#   start_cluster FOLDER    sets SLURM_CONF; waits until both nodes are idle
#   stop_cluster FOLDER     cancels all jobs, ends the daemons

# Prints what is missing for a cluster on this machine, or nothing.
cluster_lacks() {
  local program
  for program in munged slurmctld slurmd sbatch srun squeue scontrol; do
    command -v "$program" >/dev/null || { echo "$program is not installed (apt-get install slurm-wlm munge)"; return; }
  done
  compgen -G "/usr/lib*/*/slurm*/mpi_pmix*.so" >/dev/null || echo "Slurm's pmix plugin is not installed (apt-get install slurm-wlm-basic-plugins)"
  unshare --uts true 2>/dev/null || echo "host names of their own are not allowed here (CAP_SYS_ADMIN)"
}

write_configuration() { # FOLDER PORT
  local root=$1 port=$2 host user
  host=$(hostname -s) user=$(id -un)
  cat >"$root/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
# A requeued job waits for the lifetime of credentials, which is two minutes by default.
AuthInfo=socket=$root/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool-%n
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd-%n.pid
SlurmctldLogFile=$root/slurmctld.log
SlurmdLogFile=$root/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
KillWait=30
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
NodeName=node[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=2 RealMemory=1000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
END
  echo "CgroupPlugin=cgroup/v1" >"$root/cgroup.conf"
}

start_cluster() { # FOLDER
  local root=$1 node deadline=$((SECONDS + 60))
  mkdir -p "$root/state"
  write_configuration "$root" $((20000 + $$ % 10000 * 3))
  export SLURM_CONF=$root/slurm.conf
  (umask 077 && head -c 1024 /dev/urandom >"$root/munge.key")
  munged --force --key-file="$root/munge.key" --socket="$root/munge.socket" --pid-file="$root/munged.pid" \
    --log-file="$root/munged.log" --seed-file="$root/munge.seed"
  slurmctld
  for node in node1 node2; do # PMIx needs a folder per node
    mkdir -p "$root/$node" "$root/spool-$node"
    cp "$root/slurm.conf" "$root/cgroup.conf" "$root/$node"
    echo "PMIxCliTmpDirBase=$root/$node" >"$root/$node/mpi.conf"
    # shellcheck disable=SC2016
    unshare --uts bash -c 'hostname "$1"; exec slurmd -N "$1" -f "$2/slurm.conf"' - "$node" "$root/$node"
  done
  until [[ $(sinfo --noheader --format '%D %t' 2>/dev/null) == "2 idle" ]]; do
    if ((SECONDS > deadline)); then
      echo "FAILED  the cluster doesn't come up"
      tail -n 20 "$root"/*.log
      return 1
    fi
    sleep 0.2
  done
}

stop_cluster() { # FOLDER
  local root=$1 file deadline=$((SECONDS + 30)) pids=()
  scancel --user "$(id -un)" 2>/dev/null
  until [[ -z $(squeue --noheader 2>/dev/null) ]] || ((SECONDS > deadline)); do sleep 0.2; done
  for file in "$root"/*.pid; do [[ -e $file ]] && pids+=("$(cat "$file")"); done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${pids[@]}"; do
    while kill -0 "$pid" 2>/dev/null && ((SECONDS <= deadline)); do sleep 0.1; done
  done
}
