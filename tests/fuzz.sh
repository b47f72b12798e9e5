#!/usr/bin/env bash
# Random changes of files of every kind that the programs read, each given to its reader in a
# process of its own: no crash, no hang, no memory without bounds, no message but ours. What is
# found is kept, with the command that reads it again. Not part of run.sh.
#
#   bash tests/fuzz.sh [MINUTES [FIRST]]      ten minutes by default; FIRST: the first case's number
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=$((${1:-10} * 60))
first=${2:-0}
finds=$root/build/fuzz
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
ninja -C "$root/build/release" fuzz >/dev/null
PATH=$root/build/release/tests:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fuzz_files seeds files
/usr/bin/python3 "$root/tests/fuzz/crafted.py" files
seeds=(store/written.h5 store/foreign.h5 store/latest.h5 checkpoint/step-00000007.h5 forged/whole.h5
  schedule/1f1b schedule/gan ini/resolved.ini profile/profile.json
  safetensors/net.safetensors safetensors/half.safetensors
  itf/town.itf xtf/town.xtf rules/osm.ini)
failed=0
for ((; SECONDS < seconds; first += 500)); do
  for seed in "${seeds[@]}"; do
    fuzz_files run "${seed%%/*}" "files/$seed" "$first" 500 "$finds" || failed=1
  done
done
[ "$failed" = 0 ] || echo "what was found is in $finds"
exit $failed
