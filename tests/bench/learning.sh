#!/usr/bin/env bash
# How kinds of updates learn: the built-in town, dcgan-64 with the full-size generator, the same number of tiles by
# `--update sync`, `async` and `server`, two ranks each, several seeds. Prints the figures of `civitas evaluate` and
# keeps them in a folder, where a run that was begun goes on: it takes long. OPTIONS are more options of the training.
#
#   bash tests/bench/learning.sh [STEPS] [SEEDS] [FOLDER] [KINDS]     KINDS: 'sync async server:4' (servers' bound)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$root/build/release/bin:$PATH
read -ra options <<<"${OPTIONS:-}"
steps=${1:-1250} seeds=${2:-3} folder=${3:-build/learning} kinds=${4:-sync async}
mkdir -p "$folder"
cd "$folder"
[ -e tiles.h5 ] || civitas-preprocess --sample 1 --edge keep --output tiles.h5 >log 2>&1 || { cat log; exit 1; }

. "$root/tests/bench/learnt.sh"

# train KIND SEED: unless that is done.
train() {
  local update=(--update "${1%:*}")
  [ "${1#*:}" = "$1" ] || update+=(--max-staleness "${1#*:}")
  learn "$1-$2-$steps" tiles.h5 mpirun --quiet -n 2 --bind-to none civitas train --net dcgan-64 \
    --generator-widths 512,256,128,64 --batch 16 --micro-batch 8 --threads 1 --steps "$steps" --seed "$2" \
    --checkpoint-every 250 "${update[@]}" "${options[@]}"
}

for ((seed = 1; seed <= seeds; ++seed)); do
  for kind in $kinds; do
    echo "$kind, seed $seed ($(date +%T))"
    train "$kind" "$seed"
  done
done
printf '%-24s' 'of the plans'
for kind in $kinds; do printf '%-28s' "$kind"; done
echo 'training tiles'
for name in distance difference building road; do
  printf '%-24s' $name
  for kind in $kinds; do
    mapfile -t runs < <(for ((seed = 1; seed <= seeds; ++seed)); do echo "$kind-$seed-$steps"; done)
    printf '%-28s' "$(figures "plans.$name" %.3f "${runs[@]}")"
  done
  figures "real.$name" %.3f "${kinds%% *}-1-$steps"
  echo
done
