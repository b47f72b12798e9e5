#!/usr/bin/env bash
# How long a run takes until its first step begins: in a new folder, where layers are timed and weights drawn, and in
# one that has the times of layers of an earlier start (profile.json). Beside both, what the program and its libraries
# take to be loaded: `civitas --version`. Rounds alternate, so that what else the machine does falls on all of them;
# the table has the medians in seconds.
#
#   bash tests/bench/start.sh [ROUNDS [NET...]]     by default 3 rounds of dcgan-64 and dcgan-256
#   OPTIONS='--precision bf16 --threads 2' bash tests/bench/start.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$root/build/release/bin:$root/build/release/tests:$PATH
rounds=${1:-3}
shift $(($# < 1 ? $# : 1))
nets=("$@")
[ $# -gt 0 ] || nets=(dcgan-64 dcgan-256)
read -ra options <<<"${OPTIONS:-}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
make_store tiles.h5 40 256
now() { date +%s.%N; }
# keep NAME FROM TO: seconds of one start.
keep() { echo "$1 $2 $3" | awk '{ printf "%s %.3f\n", $1, $3 - $2 }' >>seconds; }
# started NET WHAT: of a run until its first step begins, which ends at "time" and takes "seconds".
started() {
  local begun
  begun=$(now)
  civitas train --tiles tiles.h5 --run run --net "$1" --steps 1 --checkpoint-every 0 --sample-every 0 \
    "${options[@]}" >said 2>&1 || { cat said && exit 1; }
  keep "$1:$2" "$begun" "$(python3 -c 'import json
step = json.loads(open("run/metrics.jsonl").readline())
print(step["time"] - step["seconds"])')"
}
for round in $(seq "$rounds"); do
  for net in "${nets[@]}"; do
    begun=$(now)
    civitas --version >/dev/null
    keep "$net:loaded" "$begun" "$(now)"
    rm -rf run
    started "$net" new
    mv run/profile.json . && rm -rf run && mkdir run && mv profile.json run
    started "$net" timed
  done
  echo "round $round of $rounds" >&2
done
# median NAME: of its seconds.
median() { sed -n "s/^$1 //p" seconds | sort -g | awk '{ all[NR] = $1 } END { print all[int(NR / 2) + 1] }'; }
echo '| net | loaded | new run | times of layers known |'
echo '|---|---|---|---|'
for net in "${nets[@]}"; do
  printf '| %s | %.2f s | %.2f s | %.2f s |\n' "$net" "$(median "$net:loaded")" "$(median "$net:new")" \
    "$(median "$net:timed")"
done
