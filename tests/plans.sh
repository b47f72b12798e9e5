#!/usr/bin/env bash
# Validity of many plans in the files they end up in: 10 000 of random fields, 100 of the sample
# town. About a quarter of an hour on one core.
#
#   bash tests/plans.sh [PLANS]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ninja -C "$root/build/release" test_vectorize
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
CIVITAS_PLANS=${1:-10000} mpirun --quiet --bind-to none -n 1 \
  "$root/build/release/tests/test_vectorize" --filenames-as-tags '[#validity]'
