#!/usr/bin/env bash
# How kinds of updates learn: the built-in town, dcgan-64 as the quickstart trains it, the same number of tiles by
# `--update sync`, `async` and `server`, two ranks each, several seeds. Prints the figures of `civitas evaluate` and
# keeps them in a folder, where a run that was begun goes on: it takes long.
#
#   bash tests/bench/learning.sh [STEPS] [SEEDS] [FOLDER] [KINDS]     KINDS: 'sync async server:4' (servers' bound)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$root/build/release/bin:$PATH
steps=${1:-1250} seeds=${2:-3} folder=${3:-build/learning} kinds=${4:-sync async}
mkdir -p "$folder"
cd "$folder"
[ -e tiles.h5 ] || civitas-preprocess --sample 1 --edge keep --output tiles.h5 >log 2>&1 || { cat log; exit 1; }

# learn KIND SEED: trains, and evaluates what came of it, unless that is done.
learn() {
  local run=$1-$2-$steps update=(--update "${1%:*}")
  [ ! -e "$run.figures" ] || return 0
  [ "${1#*:}" = "$1" ] || update+=(--max-staleness "${1#*:}")
  mpirun --quiet -n 2 --bind-to none civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --batch 16 \
    --micro-batch 8 --threads 1 --steps "$steps" --seed "$2" --sample-every 0 --checkpoint-every 250 "${update[@]}" \
    >"$run.log" 2>&1 || { tail -n 20 "$run.log" >&2; exit 1; }
  mpirun --quiet -n 2 --bind-to none civitas evaluate --checkpoint "$run" --tiles tiles.h5 --count 500 \
    --output "$run.part" >"$run.log" 2>&1 || { tail -n 20 "$run.log" >&2; exit 1; }
  mv "$run.part" "$run.figures"
}
figure() { sed -n "s/^$1 = //p" "$2"; }

for ((seed = 1; seed <= seeds; ++seed)); do
  for kind in $kinds; do
    echo "$kind, seed $seed ($(date +%T))"
    learn "$kind" "$seed"
  done
done
printf '%-24s' 'of the plans'
for kind in $kinds; do printf '%-28s' "$kind"; done
echo 'training tiles'
for name in distance difference building road; do
  printf '%-24s' $name
  for kind in $kinds; do
    values=
    for ((seed = 1; seed <= seeds; ++seed)); do
      values+=$(printf '%.3f ' "$(figure plans.$name "$kind-$seed-$steps.figures")")
    done
    printf '%-28s' "$values"
  done
  printf '%.3f\n' "$(figure real.$name "sync-1-$steps.figures")"
done
