#!/usr/bin/env bash
# Two hosts and the network between them: runs tests/slurm/hosts_test.sh to collect figures.
battery=network
promise="A rank that dies on another host is named with its host. When the network is cut the watchdog ends the run, and it goes on with the same bits."
how="Two network namespaces on a bridge, each with a host name, as the hosts of mpirun: undisturbed, with a killed rank, with the cable pulled (tests/slurm/hosts_test.sh)."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
bash "$SOURCE/tests/slurm/hosts_test.sh" "$SOURCE" "$BUILD" >hosts.txt 2>&1
code=$?
((code == 77)) && skip "$(sed -n 's/^skipped: //p' hosts.txt)"
((code == 0)) || fault "hosts_test.sh ends with $code" hosts.txt
while read -r line; do figure "$line" "ok"; done < <(sed -n 's/^ok *//p' hosts.txt)
tried "$((${#figures[@]} / 2))" 3 faults
finish
