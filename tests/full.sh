#!/usr/bin/env bash
# Every layout of a small run against one rank: data and pipe in 1, 2, 4, every schedule, with and
# without recompute and redraw, both placements, fp32 and bf16, every shard level; in turn weights once a
# rank, a node and each of two nodes, and the optimizer's state in memory or on a disk: 2 528 runs on up
# to 16 ranks; and 262 of a classifier, whose one net has less to choose. Prints a line for each, then a
# table of the former. Then trainings that are killed at 20 random moments (tests/faults.sh, with a seed
# that it prints), unless numbers of ranks are given.
# Not part of run.sh: it takes half an hour on two cores, and a minute for the kills.
#
#   bash tests/full.sh [RANKS...]          for example: bash tests/full.sh 2 8
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$root/build/release/tests/test_tasks_tensor
[ -x "$program" ] || {
  echo "no $program. Hint: bash tests/run.sh builds it"
  exit 1
}
# Reports of ranks that are killed stay where they were begun.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
cd "$work"
kills=no
[ $# -gt 0 ] || { kills=yes; set -- 1 2 4 8 16; }
failed=0
for n in "$@"; do
  OMP_NUM_THREADS=1 mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
    -n "$n" "$program" '[full]' --use-colour no | tee -a "$log" || failed=1
done

# "data=2 pipe=4 gan save keep same fp32: same, 1.2 s"
awk '
  / resnet-18: .* s$/ { ++classifiers; if (/: same, /) ++alike; next }
  / s$/ && /^data=/ {
    mesh = $1 "," $2
    if (!(mesh in seen)) { seen[mesh] = 1; meshes[++columns] = mesh }
    if (!($3 in known)) { known[$3] = 1; schedules[++rows] = $3 }
    ++all[$3, mesh]
    if (/: same, /) ++same[$3, mesh]
  }
  END {
    line = "| schedule |"; rule = "|---|"
    for (c = 1; c <= columns; ++c) { line = line " " meshes[c] " |"; rule = rule "---|" }
    print line; print rule
    for (r = 1; r <= rows; ++r) {
      line = "| " schedules[r] " |"
      for (c = 1; c <= columns; ++c) {
        key = schedules[r] SUBSEP meshes[c]
        line = line (key in all ? " " same[key] + 0 " of " all[key] " |" : " – |")
      }
      print line
    }
    print "classifiers: " alike + 0 " of " classifiers + 0
  }' "$log"

[ $kills = no ] || bash "$root/tests/faults.sh" $((RANDOM)) kills || failed=1
exit $failed
