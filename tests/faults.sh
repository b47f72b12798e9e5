#!/usr/bin/env bash
# Faults of many kinds against small trainings. However a run was hurt, it ends with the bits of one
# that was left alone, or with an error that names the cause and leaves what was saved whole, so that
# going on reaches those bits. Prints a table and ends with 1 when any case failed. Not part of
# run.sh: it takes some minutes on two cores.
#
#   bash tests/faults.sh [SEED [CLASS...]]     for example: bash tests/faults.sh 7 kills stops
#
# CLASSES: kills, stops, room, outputs, second, ranks. Room that runs out and ranks that see other
# files need private mounts: root, or a kernel that gives users namespaces of their own. There the
# whole program runs in namespaces that take its processes, mounts and shared memory with them.
# CIVITAS_BIN=DIR names another folder of the programs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${CIVITAS_BIN:-$root/build/release/bin}
export PATH=$bin:$root/build/release/tests:$PATH
for program in "$bin/civitas" make_store; do
  command -v "$program" >/dev/null ||
    { echo "no $program. Hint: ninja -C build/release civitas make_store" >&2; exit 1; }
done

private=(unshare --mount --pid --fork --kill-child --mount-proc)
[ "$(id -u)" = 0 ] || private+=(--map-root-user)
if [ -z "${FAULTS_PRIVATE:-}" ]; then
  if "${private[@]}" mount -t tmpfs civitas-faults /dev/shm 2>/dev/null; then
    FAULTS_PRIVATE=yes exec "${private[@]}" bash "${BASH_SOURCE[0]}" "$@"
  fi
  echo 'No private mounts (not root?): room, outputs and ranks are left out.'
  FAULTS_PRIVATE=no
fi
[ "$FAULTS_PRIVATE" = no ] || mount -t tmpfs civitas-faults /dev/shm

seed=${1:-$(($(date +%s) % 32768))}
[ $# -eq 0 ] || shift
classes=("$@")
[ $# -gt 0 ] || classes=(kills stops room outputs second ranks)
RANDOM=$seed
echo "seed $seed, $bin/civitas"

WORK=$(mktemp -d)
for part in support kills room outputs others; do
  source "$root/tests/faults/$part.sh"
done
trap end_everything EXIT
cd "$WORK"
mkdir t
export TMPDIR=$WORK/t # what MPI keeps of its jobs goes with $WORK
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

undisturbed
for class in "${classes[@]}"; do
  case $class in
    room | outputs | ranks) [ "$FAULTS_PRIVATE" = yes ] || continue ;;
    kills | stops | second) ;;
    *) echo "no class $class of faults" >&2; exit 2 ;;
  esac
  "class_$class"
done
print_table
