#!/usr/bin/env bash
# What checkpoints cost a training: seconds that it stands still for each, and seconds that each makes the whole longer
# (steps beside a save that is written in the background are slower), without checkpoints, with synchronous and with
# asynchronous ones. Rounds alternate, so that what else the machine does falls on all of them; the table has the
# medians, its last line the ratio of the waits. The goal is 0.15 of a durable synchronous save.
#
#   bash tests/bench/checkpoint.sh [RANKS [ROUNDS [JSON]]]     by default 2 ranks of one thread, 5 rounds, no file
#   OPTIONS='--net dcgan-64 --batch 32 --micro-batch 4' bash tests/bench/checkpoint.sh 1
#   RUNS=/scratch bash tests/bench/checkpoint.sh               checkpoints on another disk
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$root/build/release/bin:$root/build/release/tests:$PATH
ranks=${1:-2}
rounds=${2:-5}
json=$(realpath -m "${3:-/dev/null}")
read -ra options <<<"${OPTIONS:---net dcgan-256 --batch 4 --micro-batch 2}"
steps=13 every=5 # saves after steps 5 and 10 of which 2 to 13 count; the last save of all is not in them
saves=$(((steps - 1) / every))

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d -p "${RUNS:-${TMPDIR:-/tmp}}")
trap 'rm -rf "$work"' EXIT
cd "$work"
make_store tiles.h5 40 256
for round in $(seq "$rounds"); do
  for mode in none sync async; do
    rm -rf run
    saving=(--checkpoint-mode "$mode" --checkpoint-every "$every")
    [ "$mode" = none ] && saving=(--checkpoint-every 0)
    mpirun --quiet --bind-to none -n "$ranks" civitas train --tiles tiles.h5 --run run --threads 1 \
      --steps "$steps" --sample-every 0 --keep 1 "${saving[@]}" "${options[@]}" >said || { cat said && exit 1; }
    bytes=$(grep -oE '^saved .*\(([0-9.]+ .B)' said | grep -oE '[0-9.]+ .B$' | head -n 1)
    # "saved run/checkpoints/step-00000005.h5 (648.0 MB, 1.21 s)", with "training waited 0.12 s" when asynchronous.
    waited=$(sed -nE 's/^saved .*step-000000(05|10)\.h5 .*(B,|waited) ([0-9.]+) s[,)].*/\3/p' said |
      awk '{ sum += $1 } END { print sum + 0 }')
    spent=$(grep -o '"time":[0-9.e+]*' run/metrics.jsonl | cut -d : -f 2 |
      awk 'NR == 2 { first = $1 } { last = $1 } END { printf "%.3f", last - first }')
    echo "$mode $waited $spent" >>figures
    echo "round $round, $mode: training waited $waited s for $saves saves, steps 2 to $steps took $spent s" >&2
  done
done

median() { # mode, column
  awk -v mode="$1" -v at="$2" '$1 == mode { print $at }' figures | sort -g |
    awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
each() { awk -v sum="$1" -v saves="$saves" 'BEGIN { printf "%.3f", sum / saves }'; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }
echo "| checkpoints of $bytes | training waits for each | each makes the run longer by |"
echo '|---|---|---|'
wait_of() { each "$(median "$1" 2)"; }
longer_by() { each "$(less "$(median "$1" 3)" "$(median none 3)")"; }
wait_sync=$(wait_of sync) wait_async=$(wait_of async) longer_sync=$(longer_by sync) longer_async=$(longer_by async)
echo "| \`sync\` | $wait_sync s | $longer_sync s |"
echo "| \`async\` | $wait_async s | $longer_async s |"
waits=$(ratio "$wait_async" "$wait_sync")
echo "an asynchronous one waits $waits of a synchronous one"
cat >"$json" <<END
{"ranks": $ranks, "rounds": $rounds, "bytes": "$bytes", "seconds_waited": {"sync": $wait_sync, "async": $wait_async},
 "seconds_longer": {"sync": $longer_sync, "async": $longer_async}, "ratio_of_waits": $waits}
END
