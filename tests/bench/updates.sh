#!/usr/bin/env bash
# Every kind of update by two ranks, or two replicas, in alternating rounds, with and without one of them that is
# slowed to half, and four that wait and that do not. Prints tiles a second of each round, medians and ratios, beside
# them what `civitas plan --update async` makes of the step of a rank alone; seconds of a step, as they were planned
# from the times of layers and as they were; and writes all as JSON if asked to.
#
#   bash tests/bench/updates.sh [ROUNDS] [STEPS] [JSON]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$root/build/release/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
rounds=${1:-3} steps=${2:-40} json=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
civitas-preprocess --sample 1 --output tiles.h5 >log 2>&1 || { cat log; exit 1; }

batch=16
# measure RANKS OPTIONS...: tiles a second, mean staleness or -, seconds of a step as planned and as they were, of a run
# of its own.
measure() {
  local ranks=$1
  shift
  rm -rf run
  mpirun --quiet -n "$ranks" --oversubscribe --bind-to none civitas train --tiles tiles.h5 --run run \
    --net dcgan-64 --generator-widths 512,256,128,64 --batch $batch --micro-batch "${micro_batch:-8}" \
    --threads "${threads:-1}" --sample-every 0 --checkpoint-every 0 "$@" >log 2>&1 || { cat log >&2; exit 1; }
  local stale
  stale=$(sed -n 's/^staleness: mean \([0-9.]*\),.*/\1/p' log)
  echo "$(sed -n 's/.* s, \([0-9.e+]*\) tiles\/s, waited.*/\1/p' log)" "${stale:--}" \
    "$(sed -n 's/^  step  *\([0-9.e-]*\) s  *\([0-9.e-]*\) s.*/\1 \2/p' log)"
}
median_seconds() { python3 -c 'import json,statistics,sys
print(statistics.median(json.loads(l)["seconds"] for l in open(sys.argv[1]) if json.loads(l)["step"] > 2))' "$1"; }

# forecast NAME STEPS: of ranks that take so many seconds for a step, tiles a second and staleness on paper, which
# takes the update as part of the step, and slices for free.
forecast() {
  civitas plan --update async --rank-seconds "$2" >forecast
  local rates
  read -ra rates <<<"$(sed -n 's/^ *batches a second//p' forecast)"
  echo "$1 ${rates[0]} $(sed -n 's/^Staleness: mean \([0-9.]*\),.*/\1/p' forecast)" >>forecasts
  echo "sync${1#async} ${rates[1]}" >>forecasts
}

# A slow rank takes twice the time of a step that nobody delays.
measure 2 --steps 12 >/dev/null
sync_step=$(median_seconds run/metrics.jsonl)
measure 2 --steps 12 --update async >/dev/null
async_step=$(median_seconds run/metrics.jsonl)
measure 1 --steps 12 >/dev/null
alone=$(median_seconds run/metrics.jsonl)
echo "a step takes $alone s of a rank alone, $sync_step s of two together, $async_step s of each of two"

# On fewer cores than ranks each has a part of one.
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
four=$(awk "BEGIN { print $alone * ($cores < 4 ? 4 / $cores : 1) }")
slow=$(awk "BEGIN { print $alone + $async_step }")
: >forecasts
forecast async "$alone,$alone"
forecast async-slow "$alone,$slow"
forecast async-four "$four,$four,$four,$four"

: >table
# row NAME RANKS OPTIONS...
row() {
  local name=$1 said
  shift
  said=$(measure "$@")
  echo "$round $name $said" | tee -a table
}
for ((round = 1; round <= rounds; ++round)); do
  row one 1 --steps $((steps / 2))
  threads=2 row one-threads-2 1 --steps "$steps"
  row sync 2 --steps "$steps"
  row async 2 --steps "$steps" --update async
  row sync-slow 2 --steps "$steps" --delay "1=$sync_step"
  row async-slow 2 --steps "$steps" --update async --delay "1=$async_step"
  row server 2 --steps "$steps" --update server
  row server-slow 2 --steps "$steps" --update server --delay "1=$sync_step"
  row server-4 2 --steps "$steps" --update server --max-staleness 4
  row server-4-slow 2 --steps "$steps" --update server --max-staleness 4 --delay "1=$sync_step"
  threads=2 row replicas 1 --steps "$steps" --replicas 2
  # Replicas wait for each other, so one that is slow is a rank that is.
  threads=2 row replicas-slow 1 --steps "$steps" --replicas 2 --delay "0=$sync_step"
  micro_batch=4 row sync-four 4 --steps "$steps"
  row async-four 4 --steps "$steps" --update async
done
python3 - table forecasts $batch "$json" <<'PYTHON'
import json, statistics, sys
rounds, stale, paper, planned, taken = {}, {}, {}, {}, {}
for line in open(sys.argv[1]):
    _, name, value, missed, plan, step = line.split()
    rounds.setdefault(name, []).append(float(value))
    if missed != "-":
        stale.setdefault(name, []).append(float(missed))
    if not name.endswith("slow"):  # no plan knows of a rank that is slow
        planned.setdefault(name, []).append(float(plan))
        taken.setdefault(name, []).append(float(step))
for line in open(sys.argv[2]):
    name, batches, *missed = line.split()
    paper[name] = {"tiles_per_second": float(batches) * int(sys.argv[3]),
                   "staleness": float(missed[0]) if missed else None}
median = {name: statistics.median(values) for name, values in rounds.items()}
staleness = {name: statistics.median(values) for name, values in stale.items()}
seconds = {name: {"planned": statistics.median(planned[name]), "measured": statistics.median(taken[name])}
           for name in planned}
pairs = [("sync", "one"), ("async", "one"), ("server", "sync"), ("server-4", "sync"), ("replicas", "sync"),
         ("async", "one-threads-2"), ("async", "sync"), ("async-slow", "sync-slow"),
         ("server-4-slow", "sync-slow"), ("replicas-slow", "sync-slow"), ("async-four", "one"),
         ("async-four", "sync-four")]
ratio = {f"{a}/{b}": median[a] / median[b] for a, b in pairs}
show = lambda value: f"{value:12.2f}" if value is not None else f"{'-':>12}"
print(f"{'':24} {'tiles/s':>12} {'on paper':>12} {'staleness':>12} {'on paper':>12}")
for name, value in median.items():
    said = paper.get(name, {})
    print(f"{name:24}", show(value), show(said.get("tiles_per_second")), show(staleness.get(name)),
          show(said.get("staleness")))
for name, value in ratio.items():
    print(f"{name:24}", show(value))
print(f"{'seconds of a step':24} {'planned':>12} {'measured':>12} {'error':>12}")
for name, step in seconds.items():
    error = f"{100 * (step['planned'] / step['measured'] - 1):+.0f} %"
    print(f"{name:24} {step['planned']:12.3f} {step['measured']:12.3f} {error:>12}")
if sys.argv[4]:
    json.dump({"tiles_per_second": rounds, "median": median, "ratio": ratio, "staleness": staleness, "on_paper": paper,
               "seconds_of_a_step": seconds},
              open(sys.argv[4], "w"), indent=1)
PYTHON
