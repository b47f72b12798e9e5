# Modules include only what DESIGN allows: $LAYERS has a line "module:allowed,allowed" for each.

torch='comm data environment memory gpu simd kernels strided updates nn optim async server parallel tasks'
torch+=' profiling checkpoint runs steps train population compare inference app'
# Which modules of src may include headers that match a pattern (`-`: none may).
# Memory of a GPU that ranks share is memory's: it is no message, and ATen has none that others open.
rules='mpi\.h|mpi-ext\.h|nccl\.h = comm
c10/cuda/ = comm gpu
ATen/cuda/ = gpu
cuda_runtime[_a-z]*\.h = comm gpu memory
hdf5[_a-z]*\.h|H5[A-Z][a-z]*public\.h = hdf5
png\.h = io
boost/ = cli run_report
zlib\.h = data
nlohmann/ = io report checkpoint profiling runs run_report compare inference app maps
ATen/|c10|torch = '$torch'
gdal|ogr_|ogrsf|cpl_ = survey linework interlis maps images vectorize
geos_c\.h = linework vectorize
expat\.h = interlis
torch/torch\.h|ATen/ATen\.h|torch/all\.h = -'

mapfile -t rules <<<"$rules"

# check_line MODULE ALLOWED,ALLOWED FILE:LINE:INCLUDE
check_line() {
  local module=$1 allowed=",$2,$1," line=$3 other rule who
  case $line in
    *'"../'*) echo "$line: a path upwards" ;;
    *\"civitas/*)
      other=${line#*\"civitas/}
      other=${other%%/*}
      [[ $allowed == *,$other,* ]] || echo "$line: $module may not include $other" ;;
    *\"preprocess/*)
      other=${line#*\"preprocess/}
      other=${other%%/*}
      [[ $allowed == *,$other,* ]] || echo "$line: $module may not include $other" ;;
  esac
  for rule in "${rules[@]}"; do
    who=${rule#*=}
    if [[ $line =~ [\<\"](${rule% =*}) ]] && [[ "$who " != *" $module "* ]]; then
      echo "$line: not in $module, only in:$who"
    fi
  done
}

# check_module TREE MODULE ALLOWED,ALLOWED
check_module() {
  local line
  while read -r line; do
    check_line "$2" "$3" "$line"
  done < <(grep -rnE --include='*.[ch]pp' '^ *# *include' "$1/include/civitas/$2" "$1/src/$2" \
    "$1/preprocess/$2" 2>/dev/null || true)
}

# check TREE: prints what is wrong.
check() {
  local tree=$1 module allowed modules=' '
  while IFS=: read -r module allowed; do
    check_module "$tree" "$module" "$allowed"
    modules+="$module "
  done <"$LAYERS"
  while read -r module; do
    [[ $modules == *" $module "* ]] || echo "$tree/src/$module belongs to no module"
  done < <(find "$tree/src" "$tree/include/civitas" -mindepth 2 -name '*.[ch]pp' -printf '%P\n' |
    cut -d/ -f1 | sort -u)
  grep -rlE '<(torch/torch|ATen/ATen)\.h>|"(mpi|hdf5)\.h"|<(mpi|hdf5)\.h>' \
    "$tree/preprocess" 2>/dev/null | sed 's/$/: not in preprocess/' || true
}

# finds MESSAGE FILE LINE: a tree of one file with this line is refused.
finds() {
  local tree=$WORK/tree
  mkdir -p "$tree/src" "$tree/include/civitas" "$tree/$(dirname "$2")"
  echo "$3" >"$tree/$2"
  check "$tree" | grep -F -- "$1" >/dev/null || fail "not found: '$3' in $2"
  rm -r "$tree"
}

finds 'base may not include comm' src/base/a.cpp '#include "civitas/comm/mesh.hpp"'
finds 'report may not include data' include/civitas/report/a.hpp '#include "civitas/data/order.hpp"'
finds 'not in train, only in: comm' src/train/a.cpp '#include <mpi.h>'
finds 'not in nn, only in: comm' src/nn/a.cpp '#include <c10/cuda/CUDAStream.h>'
finds 'not in optim, only in: comm gpu memory' src/optim/a.cpp '#include <cuda_runtime_api.h>'
finds 'planner may not include comm' src/planner/a.cpp '#include "civitas/comm/mesh.hpp"'
finds 'net may not include schedule' include/civitas/net/a.hpp '#include "civitas/schedule/tags.hpp"'
finds 'tasks may not include train' src/tasks/a.cpp '#include "civitas/train/train.hpp"'
finds 'profiling may not include train' src/profiling/a.cpp '#include "civitas/train/train.hpp"'
finds 'profiling may not include tasks' src/profiling/a.cpp '#include "civitas/tasks/augment.hpp"'
finds 'train may not include cli' src/train/a.cpp '#include "civitas/cli/options.hpp"'
finds 'not in schedule, only in: comm' src/schedule/a.cpp '#include <mpi.h>'
finds 'not in data, only in: hdf5' src/data/a.cpp '#include <hdf5.h>'
finds 'io may not include hdf5' src/io/a.cpp '#include "civitas/hdf5/hdf5.hpp"'
finds 'not in base, only in: cli' src/base/a.cpp '#include <boost/program_options.hpp>'
finds 'not in io, only in:' src/io/a.hpp '#include <ATen/core/Tensor.h>'
finds 'not in nn, only in: -' src/nn/a.cpp '#include <torch/torch.h>'
finds 'not in data, only in: survey' src/data/a.cpp '#include <ogrsf_frmts.h>'
finds 'survey may not include data' preprocess/survey/a.cpp '#include "civitas/data/order.hpp"'
finds 'vectorize may not include maps' preprocess/vectorize/a.cpp '#include "preprocess/maps/tiles.hpp"'
finds 'a path upwards' src/nn/a.cpp '#include "../data/order.hpp"'
finds 'belongs to no module' src/other/a.cpp ''
finds 'not in preprocess' preprocess/maps/a.cpp '#include <hdf5.h>'

check "$ROOT" >"$WORK/wrong"
[ ! -s "$WORK/wrong" ] || fail "$(cat "$WORK/wrong")"
