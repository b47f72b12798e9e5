#!/usr/bin/env bash
# From nothing to new city plans, in under 10 minutes on two cores: set-up, build, a built-in sample
# town, two training processes, 64 plans as a picture and as a map.
#
#   bash jobs/quickstart.sh [FOLDER]      results go to FOLDER, build/quickstart by default
#
# Stages whose result is newer than what it is made from are skipped; a training that was
# interrupted goes on. STEPS=N trains longer or shorter.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/release/bin
out=${1:-$root/build/quickstart}
# What the processor multiplies in says how many steps a few minutes are; bf16 without instructions of its own would
# only be slow.
precision=fp32 usual_steps=1900
if grep -qw avx512f /proc/cpuinfo; then usual_steps=3000; fi
if grep -qw avx512_bf16 /proc/cpuinfo; then precision=bf16 usual_steps=3500; fi
if grep -qw amx_bf16 /proc/cpuinfo; then usual_steps=4500; fi
steps=${STEPS:-$usual_steps}
# What it makes replaces what it made before, and nothing else.
mark=$out/made-by-quickstart
if [ "$#" -gt 0 ] && [ ! -e "$mark" ] && [ -n "$(ls -A "$out" 2>/dev/null)" ]; then
  echo "quickstart.sh: $out holds other files. Hint: another FOLDER, which is made" >&2
  exit 2
fi
mkdir -p "$out"
touch "$mark"
out=$(cd "$out" && pwd)

tiles=$out/tiles.h5
run=$out/run
trained=$run/checkpoints/step-$(printf %08d "$steps").h5
plans=$out/plans.h5
sheet=$out/plans.png
map=$out/plans.gpkg

# As root (in containers) Open MPI wants to be asked twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=(mpirun --quiet -n 2 --bind-to none)
[ "$(nproc)" -ge 2 ] || launch+=(--oversubscribe)

# fresh RESULT INPUT...: the result is there and no input is newer.
fresh() {
  local result=$1 input
  [ -e "$result" ] || return 1
  shift
  for input in "$@"; do [ ! "$input" -nt "$result" ] || return 1; done
}

# stage TITLE RESULT INPUT... -- COMMAND...
stage() {
  local title=$1 result=$2 inputs=() start=$SECONDS
  shift 2
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done
  shift
  if fresh "$result" "${inputs[@]}"; then
    printf '== %-60s already there\n' "$title"
    return
  fi
  printf '== %s\n' "$title"
  "$@" </dev/null
  printf '== %-60s %4d s\n' "$title" $((SECONDS - start))
}

build() {
  local log=$out/build.log torch=${TORCH_ROOT:-$root/build/libtorch/torch}
  local configure=(cmake --preset release -DTORCH_ROOT="$torch")
  # A build with tests stays one.
  [ -e "$root/build/release/CMakeCache.txt" ] || configure+=(-DCIVITAS_TESTS=OFF)
  (cd "$root" && "${configure[@]}" &&
    cmake --build --preset release --target civitas civitas-preprocess civitas-vectorize) \
    >"$log" 2>&1 || { tail -n 40 "$log"; return 1; }
}

sample() {
  # The town was made up to its last metre: no tile of it is cut.
  "$bin/civitas-preprocess" --sample 1 --edge keep --output "$tiles" --preview "$out/tiles.png" \
    --stride-metres 125 --test-share 0.15 --overwrite
}

# A run of other tiles or of an older program is no start for this one.
train() {
  if [ -e "$run" ] && ! fresh "$run/config.ini" "$tiles" "$bin/civitas"; then
    mv "$run" "$run.$(date +%Y%m%d-%H%M%S)"
  fi
  "${launch[@]}" "$bin/civitas" train --tiles "$tiles" --run "$run" --net dcgan-64 \
    --precision "$precision" --steps "$steps" --checkpoint-every 500 --sample-every 500
}

generate() {
  "${launch[@]}" "$bin/civitas" generate --checkpoint "$run" --count 64 --seed 1 \
    --output "$plans" --sheet "$sheet" --overwrite
}

vectorize() { "$bin/civitas-vectorize" "$plans" --output "$map" --overwrite; }

begin=$SECONDS
stage 'set-up' "$out/none" -- bash "$root/jobs/setup.sh"
stage 'build' "$out/none" -- build
stage 'tiles of the sample town' "$tiles" "$bin/civitas-preprocess" -- sample
stage "training, $steps steps by two processes" "$trained" "$tiles" "$bin/civitas" -- train
stage '64 plans' "$plans" "$trained" -- generate
stage 'plans as a map' "$map" "$plans" "$bin/civitas-vectorize" -- vectorize

cat <<END

Done in $((SECONDS - begin)) s. In $out:
  plans.png          what was generated: look at this first
  plans.gpkg         the same as a map, for QGIS
  plans.h5           the same as tiles
  run/samples/       how the plans came to be, the same noise every time
  run/metrics.jsonl  a line for every step
  tiles.h5, .png     what it learnt from, cut from sample.gpkg

To try next, from $root:
  export PATH=\$PATH:$bin
  civitas inspect '$run'
  civitas generate --checkpoint '$run' --count 256 --seed 7 --output more.h5 --sheet more.png
  civitas-vectorize more.h5 --output more.dxf
  civitas-preprocess YOUR_MAP.gpkg --output yours.h5 --preview yours.png
END
