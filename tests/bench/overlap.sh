#!/usr/bin/env bash
# How much of the sums between nodes hides behind the backward pass: two ranks that count as two nodes, by TCP, on a
# link of so many bits a second where root may make one (a network of its own, so that nobody else is slowed down), else
# as fast as the machine is. Rounds with sums behind the pass and with sums after it alternate; the table has medians.
#
#   bash tests/bench/overlap.sh [--json FILE] [RATE [MILLIONS [ROUNDS [MS [LEVEL]]]]]
#                                                     by default 5gbit 16 7 20 optimizer: see tests/bench/overlap.cpp
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
json=''
if [ "${1:-}" = --json ]; then
  json=$(realpath -m "$2")
  shift 2
fi
rate=${1:-5gbit}
run=(mpirun --quiet --bind-to none -n 2 --mca btl "tcp,self" --mca btl_tcp_if_include lo
  "$root/build/release/tests/bench_overlap" "${2:-16}" "${3:-7}" "${4:-20}" "${5:-optimizer}" ${json:+"$json"})
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
link() { ip link set lo up && tc qdisc add dev lo root tbf rate "$rate" burst 1mb latency 100ms; }
export -f link
export rate
if unshare --net bash -c link 2>/dev/null; then
  echo "a link of $rate, for both directions together"
  unshare --net bash -c 'link && exec "$@"' bash "${run[@]}"
else
  echo 'no link can be made here: as fast as this machine is'
  "${run[@]}"
fi
