#!/usr/bin/env bash
# What must stay the same while the code is changed: fingerprints of small runs (layouts, precisions,
# losses, resume on another mesh), and hashes of the tables that `civitas plan` prints. Prints a line
# for each. Bits depend on the machine: compare two programs on one machine. Not part of run.sh: it
# takes some minutes on two cores.
#
#   CIVITAS_BIN=OLD bash tests/fingerprints.sh >before
#   bash tests/fingerprints.sh | diff before -
#
# CIVITAS_BIN=DIR names another folder of civitas and make_store.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=${CIVITAS_BIN:-$root/build/release/bin}:$root/build/release/tests:$PATH
for program in civitas make_store; do
  command -v "$program" >/dev/null ||
    { echo "no $program. Hint: ninja -C build/release civitas make_store" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make_store tiles.h5 40 64
# The widths are a list for one option.
# shellcheck disable=SC2054
small=(--generator-widths 16,16,16,16 --discriminator-widths 16,16,16,16 --nz 8)

# train NAME RANKS OPTIONS...: four steps more, or the first four; prints the name and what they end
# with.
train() {
  local name=$1 ranks=$2
  shift 2
  mpirun --timeout 300 --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$ranks" \
    civitas train --tiles tiles.h5 --net dcgan-64 "${small[@]}" --batch 16 --micro-batch 2 \
    --threads 1 --sample-every 0 "$@" </dev/null >said 2>&1 || { cat said >&2; exit 1; }
  printf '%-60s %s\n' "$name" "$(sed -n 's/^fingerprint //p' said)"
}
fresh() {
  rm -rf run
  train "${*:2}, $1 ranks" "$1" --run run --steps 4 --checkpoint-every 0 "${@:2}"
}

for precision in fp32 bf16; do
  p=(--precision "$precision")
  fresh 1 "${p[@]}"
  for options in --redraw --recompute '--redraw --recompute' --sync-batch-norm '--loss hinge' \
    '--loss lsgan --coding grey' '--ema 0 --instance-noise 0 --translate 0' '--condition cover'; do
    read -ra words <<<"$options"
    fresh 1 "${p[@]}" "${words[@]}"
  done
  fresh 2 "${p[@]}" --mesh data=2
  fresh 2 "${p[@]}" --mesh data=2 --sync-batch-norm
  fresh 2 "${p[@]}" --mesh tensor=2
  fresh 4 "${p[@]}" --mesh data=2,tensor=2
  fresh 4 "${p[@]}" --mesh pipe=2,tensor=2 --schedule gan
  for schedule in naive gpipe 1f1b interleaved:2 zero-bubble gan; do
    for options in '--placement same' '--placement reversed --redraw' '--recompute'; do
      read -ra words <<<"$options"
      fresh 2 "${p[@]}" --mesh pipe=2 --schedule "$schedule" "${words[@]}"
    done
    fresh 4 "${p[@]}" --mesh data=2,pipe=2 --schedule "$schedule"
  done
done
fresh 1 --precision fp64
fresh 2 --precision fp64 --mesh tensor=2

# One run that goes on from mesh to mesh.
rm -rf run
steps=0
for mesh in data=1 data=2 pipe=2 data=2,pipe=2 tensor=2 data=1; do
  steps=$((steps + 4)) ranks=1
  for part in ${mesh//,/ }; do ranks=$((ranks * ${part#*=})); done
  train "goes on with $mesh" "$ranks" --run run --steps "$steps" --mesh "$mesh" --checkpoint-every 4
done

# table OPTIONS...: name and hash of a table.
table() {
  civitas plan --batch 32 --micro-batch 4 --brief --overwrite --print table "$@" \
    >said 2>&1 || { cat said >&2; exit 1; }
  printf '%-60s %s\n' "$*" "$(sha256sum <table | cut -c 1-16)"
}
for net in dcgan-64 dcgan-256; do
  widths=()
  [ $net != dcgan-64 ] || widths=(--generator-widths "512,256,128,64")
  for pipe in 1 2 4; do
    for schedule in naive gpipe 1f1b interleaved:2 zero-bubble gan; do
      [ "$net-$pipe-$schedule" != dcgan-64-4-interleaved:2 ] || continue # has too few blocks
      for options in '' --redraw --recompute '--placement reversed'; do
        read -ra words <<<"$options"
        table --net "$net" "${widths[@]}" --mesh "pipe=$pipe" --schedule "$schedule" "${words[@]}"
      done
    done
  done
  table --net "$net" --mesh data=2,pipe=2,tensor=2 --schedule 1f1b
done
