#!/usr/bin/env bash
# Ranks that wait for each other and ranks that do not, in alternating rounds, with and without one that is
# slowed to half. Prints tiles a second of each round, medians and ratios, and writes them as JSON if asked to.
#
#   bash tests/bench/updates.sh [ROUNDS] [STEPS] [JSON]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$root/build/release/bin:$PATH
rounds=${1:-3} steps=${2:-40} json=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
civitas-preprocess --sample 1 --output tiles.h5 >log 2>&1 || { cat log; exit 1; }

# tiles_per_second RANKS OPTIONS...: of a run of its own.
tiles_per_second() {
  local ranks=$1
  shift
  rm -rf run
  mpirun --quiet -n "$ranks" --bind-to none civitas train --tiles tiles.h5 --run run --net dcgan-64 --batch 16 \
    --micro-batch 8 --threads 1 --sample-every 0 --checkpoint-every 0 "$@" >log 2>&1 || { cat log >&2; exit 1; }
  sed -n 's/.* s, \([0-9.e+]*\) tiles\/s, waited.*/\1/p' log
}
median_seconds() { python3 -c 'import json,statistics,sys
print(statistics.median(json.loads(l)["seconds"] for l in open(sys.argv[1]) if json.loads(l)["step"] > 2))' "$1"; }

# A slow rank takes twice the time of a step that nobody delays.
tiles_per_second 2 --steps 12 >/dev/null
sync_step=$(median_seconds run/metrics.jsonl)
tiles_per_second 2 --steps 12 --update async >/dev/null
async_step=$(median_seconds run/metrics.jsonl)
echo "a step takes $sync_step s together, $async_step s alone"

: >table
for ((round = 1; round <= rounds; ++round)); do
  {
    echo "one $(tiles_per_second 1 --steps $((steps / 2)))"
    echo "sync $(tiles_per_second 2 --steps "$steps")"
    echo "async $(tiles_per_second 2 --steps "$steps" --update async)"
    echo "sync-slow $(tiles_per_second 2 --steps "$steps" --delay "1=$sync_step")"
    echo "async-slow $(tiles_per_second 2 --steps "$steps" --update async --delay "1=$async_step")"
  } | sed "s/^/$round /" | tee -a table
done
python3 - table "$json" <<'PYTHON'
import json, statistics, sys
rounds = {}
for line in open(sys.argv[1]):
    _, name, value = line.split()
    rounds.setdefault(name, []).append(float(value))
median = {name: statistics.median(values) for name, values in rounds.items()}
ratio = {"async/sync": median["async"] / median["sync"], "async/one": median["async"] / median["one"],
         "async-slow/sync-slow": median["async-slow"] / median["sync-slow"]}
for name, value in {**median, **ratio}.items():
    print(f"{name:24} {value:8.2f}")
if sys.argv[2]:
    json.dump({"tiles_per_second": rounds, "median": median, "ratio": ratio}, open(sys.argv[2], "w"), indent=1)
PYTHON
