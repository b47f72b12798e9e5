#!/usr/bin/env bash
# Compares the figures of `civitas evaluate` with those of others, on tiles of two built-in towns: landscape indices
# with pylandstats', thinning, perimeters and Euler numbers with scikit-image's, shapes of buildings with momepy's and
# shapely's, distances of distributions with SciPy's, spectra and the rest with a few lines of NumPy. Needs a Python
# with these and h5py; says so where it has not.
#
#   bash tests/oracles.sh [PIXELS ...]     PYTHON=python3
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=${BIN:-$root/build/release/bin}:$PATH
python=${PYTHON:-python3}
wanted='geopandas h5py momepy numpy pylandstats scipy skimage'
for module in $wanted; do
  if ! "$python" -c "import $module" 2>/dev/null; then
    echo "not compared: $python imports no $module"
    exit 0
  fi
done
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(64 128)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for pixels in "${sizes[@]}"; do
  for style in old-town suburb; do
    civitas-preprocess --sample 1 --sample-style $style --edge keep --pixels "$pixels" --output "$style.h5" \
      --overwrite >log 2>&1 || { cat log; exit 1; }
  done
  civitas evaluate --plans suburb.h5 --tiles old-town.h5 --count 40 --output report.json --pixels "$pixels" \
    --overwrite >log 2>&1 || { cat log; exit 1; }
  "$python" "$root/tests/oracles.py" report.json suburb.h5 old-town.h5
done
