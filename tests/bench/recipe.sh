#!/usr/bin/env bash
# How recipes learn: dcgan-64, or dcgan-256, on a store of tiles, several seeds each, about equal time. Prints figures
# of what is stored, soft covers (cover_*) and seconds of a step, draws plans of each (RECIPE-SEED.png), and keeps all
# in a folder, where what was begun goes on: it takes hours, so run it in pieces.
#
#   bash tests/bench/recipe.sh TILES.h5 [SEEDS] [FOLDER] [RECIPES]     RECIPES: names below; without, nine of them
#
# STEPS=N trains each for so long instead, OPTIONS adds options with values to all ('--threads 1': one for each core at
# once), and plans are compared with tiles of TEST_TILES where that is set, which are the real ones then, too; EVERY=N
# compares them after every so many steps, too. Each needs a folder of its own. Liechtenstein, as in
# src/quality/README.md:
#   civitas-preprocess liechtenstein.osm.pbf --output TILES.h5 --pixels 64 --stride-metres 62.5
# and 125 metres for TEST_TILES.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=${BIN:-$root/build/release/bin}:$PATH
tiles=$(realpath "$1") seeds=${2:-3} folder=${3:-build/recipe}
[ -z "${TEST_TILES:-}" ] || TEST_TILES=$(realpath "$TEST_TILES")

# Steps are those of equal seconds: a step of 32 tiles takes twice one of 16, ATen's kernels four times our own.
options_of() {
  local quick='--precision bf16 --kernels fast' usual
  usual="--net dcgan-64 --generator-widths 512,256,128,64 --batch 16 --micro-batch 8 --ema 0.99"
  usual+=" --lr-schedule constant $quick"
  case $1 in
    aten) echo "$usual --kernels aten --steps 1250" ;;
    usual) echo "$usual --steps 5000" ;;
    cosine) echo "$usual --steps 5000 --lr-schedule cosine" ;;
    long-mean) echo "$usual --steps 5000 --lr-schedule cosine --ema 0.999" ;;
    little-noise) echo "$usual --steps 5000 --instance-noise 0.1" ;;
    quick-d) echo "$usual --steps 5000 --discriminator-lr 4e-4" ;;
    micro-16) echo "$usual --steps 5000 --micro-batch 16" ;;
    quick-d-16) echo "$usual --steps 5000 --discriminator-lr 4e-4 --micro-batch 16" ;;
    wide) echo "$usual --steps 5000 --generator-widths 512,256,128,128" ;;
    full-size) echo "$usual --steps 4600 --discriminator-lr 4e-4 --generator-widths 512,256,128,64,32" ;;
    full-size-16) echo "$(options_of full-size) --steps 5000 --micro-batch 16" ;;
    full-size-16-long) echo "$(options_of full-size-16) --steps 8000 --ema 0.999" ;;
    full-size-16-cosine) echo "$(options_of full-size-16-long) --lr-schedule cosine" ;;
    small-steps) echo "--net dcgan-64 $quick --steps 13000" ;;
    hinge) echo "$usual --steps 5000 --loss hinge" ;;
    large-batch) echo "$usual --steps 2500 --batch 32 --micro-batch 16" ;;
    far) echo "$usual --steps 5000 --translate 0.25" ;;
    dcgan-256) echo "--net dcgan-256 $quick --steps 8000" ;;
    *) echo "unknown recipe '$1'" >&2; exit 2 ;;
  esac
}
all='usual quick-d micro-16 wide full-size full-size-16 hinge large-batch far'
read -ra recipes <<<"${4:-$all}"
for recipe in "${recipes[@]}"; do options_of "$recipe" >/dev/null; done
if ! [[ " ${OPTIONS:-}" =~ ^(\ +--[a-z0-9-]+\ +[^\ ]+)*\ *$ ]]; then
  echo "OPTIONS=$OPTIONS: expected --name value ..." >&2
  exit 2
fi
mkdir -p "$folder"
cd "$folder"

# arguments_of RECIPE: its options; of one that is given twice the last counts.
arguments_of() {
  local -A value=()
  local words i
  read -ra words <<<"$(options_of "$1") ${OPTIONS:-}"
  for ((i = 0; i < ${#words[@]}; i += 2)); do value[${words[i]}]=${words[i + 1]}; done
  [ -z "${STEPS:-}" ] || value[--steps]=$STEPS
  [ -z "${EVERY:-}" ] || value[--keep-every]=$EVERY value[--checkpoint-every]=$EVERY
  for i in "${!value[@]}"; do echo "$i" "${value[$i]}"; done
}

# steps_between RECIPE: those of EVERY, as checkpoints are named, without the last.
steps_between() {
  [ -n "${EVERY:-}" ] || return 0
  local steps
  steps=$(arguments_of "$1" | sed -n 's/^--steps //p')
  seq -f %08.0f "$EVERY" "$EVERY" $((steps - 1))
}

. "$root/tests/bench/learnt.sh"
for ((seed = 1; seed <= seeds; ++seed)); do
  for recipe in "${recipes[@]}"; do
    echo "$recipe, seed $seed ($(date +%T))"
    read -ra arguments <<<"$(arguments_of "$recipe" | tr '\n' ' ')"
    run=$recipe-$seed
    learn "$run" "$tiles" civitas train --seed "$seed" "${arguments[@]}"
    for step in $(steps_between "$recipe"); do compare "$run-$step" "$run/checkpoints/step-$step.h5" "$tiles"; done
    [ -e "$run.png" ] || ! [ -e "$run" ] ||
      civitas generate --checkpoint "$run" --count 16 --seed 7 --output "$run.h5" --sheet "$run.png" --overwrite \
        >"$run.drawn" 2>&1 || { cat "$run.drawn" >&2; exit 1; }
  done
done

columns='stored_distance stored_difference cover_building stored_building cover_road stored_road road_largest'
printf '%-22s' recipe
for name in $columns; do printf '%-22s' "$name"; done
echo 'seconds of a step'
# seconds RUN...: the median of each, of all steps.
seconds() {
  local run
  for run in "$@"; do
    if ! [ -e "$run/metrics.jsonl" ]; then printf -- '- '; continue; fi
    sed -n 's/.*"seconds":\([^,]*\).*/\1/p' "$run/metrics.jsonl" | sort -g |
      awk '{ all[NR] = $1 } END { printf "%.3f ", all[int((NR + 1) / 2)] }'
  done
}
# row SET NAME RUN...
row() {
  printf '%-22s' "$2"
  for name in $columns; do printf '%-22s' "$(figures "$1.$name" %#.3g "${@:3}")"; done
  echo
}
for recipe in "${recipes[@]}"; do
  mapfile -t runs < <(for ((seed = 1; seed <= seeds; ++seed)); do echo "$recipe-$seed"; done)
  for step in $(steps_between "$recipe"); do row plans "$recipe, $((10#$step)) steps" "${runs[@]/%/-$step}"; done
  row plans "$recipe" "${runs[@]}" | tr -d '\n'
  seconds "${runs[@]}"
  echo
done
row real 'real tiles' "${recipes[0]}-1"
