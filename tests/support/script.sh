#!/usr/bin/env bash
# Runs a script test in an empty folder of its own ($WORK), with helpers for messages, and removes
# the folder afterwards.
set -euo pipefail
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
# Jobs of a user share a folder of temporary files of Open MPI, which one of them may remove while
# another enters it: each test has its own.
mkdir .tmp
export TMPDIR=$WORK/.tmp
export PATH=$BIN:$TESTS:$PATH

fail() { echo "FAILED: $*" >&2; exit 1; }

# refuses CODE 'part of the message' COMMAND...: the command must end with CODE and say so.
refuses() {
  local code=$1 message=$2 rc=0
  shift 2
  "$@" >said 2>&1 || rc=$?
  [ "$rc" = "$code" ] || fail "exit code $rc instead of $code of: $* $(cat said)"
  grep -qF -- "$message" said || fail "no '$message' in what this said: $* $(cat said)"
}

run() { timeout 150 "$@" || fail "exit code $? of: $*"; }
ranks() {
  local n=$1
  shift
  run mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$n" "$@"
}

source "$1"
