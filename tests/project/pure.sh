# What describes and plans a run needs a C++ compiler alone: no MPI, no libtorch, no option parser.
# Each file of the list includes others of the list, the standard library and the system; base also
# Random123 and xxhash. Looking up the includes of a file takes a tenth of the time that compiling
# takes, which the build does anyway.

# The list of what is pure, which the rest of the project may rely on.
pure='include/civitas/base/*.hpp src/base/*.cpp
include/civitas/data/channels.hpp src/data/channels.cpp
include/civitas/nn/{description,loss_kind,tensor}.hpp
src/nn/{overloaded,tensor_part}.hpp
src/nn/{dcgan,description,loss_kind,tensor_part,tensor_plan}.cpp
include/civitas/parallel/{arena_layout,costs,kept_peak,leaf_counts,message_order}.hpp
include/civitas/parallel/{partition,reduction_order,schedule,simulator,tags,traffic}.hpp
src/parallel/{facts,layer_kinds,schedule_*,stage_memory}.hpp
src/parallel/{arena_layout,costs,facts,message_order,partition,partition_refine,placement}.cpp
src/parallel/{reduction_order,schedule,schedule_*,simulator,simulator_memory,stage_memory}.cpp
src/parallel/traffic.cpp
src/train/{bounds,cutting,fitting,layout,links,options,plan,rank_memory}.{hpp,cpp}
src/train/{ranking,resources,setting,step_costs,way_out}.{hpp,cpp} src/train/ranking_reason.cpp
src/train/{read_ahead,savings}.hpp'

foreign='/(mpi|hdf5|png|zlib|gdal|nccl|cuda_runtime)[^/]*\.h$|/(boost|nlohmann|ATen|c10|torch)/'

unset CPATH CPLUS_INCLUDE_PATH

# files TREE: the list, one name a line.
files() (
  cd "$1" || exit
  eval "ls -1 ${pure//$'\n'/ }"
)

# check_file TREE FILE: prints what is wrong with its includes.
check_file() {
  local tree=$1 file=$2
  g++ -std=c++20 -I"$tree/include" -M -x c++ "$tree/$file" >"$WORK/used" 2>"$WORK/error" ||
    echo "$file: $(grep -m 1 'error' "$WORK/error")"
  tr -s ' \134' '\n' <"$WORK/used" >"$WORK/names"
  { sed -n "s,^$tree/,,p" "$WORK/names" | grep -vxFf "$WORK/files"
    grep -E "$foreign" "$WORK/names"
  } | sed "s,^,$file: includes ," || true
}

# finds MESSAGE FILE LINE: the file with this line more is refused.
finds() {
  local tree=$WORK/tree
  rm -rf "$tree"
  mkdir "$tree"
  (cd "$ROOT" && cp -r --parents include src/{nn,parallel,train}/*.hpp "$2" "$tree")
  echo "$3" >>"$tree/$2"
  check_file "$tree" "$2" | grep -qF -- "$1" || fail "not found: '$3' in $2"
}

files "$ROOT" >"$WORK/files"
finds 'mpi.h: No such file' src/parallel/costs.cpp '#include <mpi.h>'
finds 'ATen/core/Tensor.h: No such file' src/nn/dcgan.cpp '#include <ATen/core/Tensor.h>'
finds 'mpi.h: No such file' include/civitas/parallel/costs.hpp '#include "civitas/comm/mesh.hpp"'
finds 'includes include/civitas/comm/tags.hpp' include/civitas/parallel/costs.hpp \
  '#include "civitas/comm/tags.hpp"'
finds 'includes include/civitas/cli/options.hpp' src/base/text.cpp \
  '#include "civitas/cli/options.hpp"'
finds 'c10/core/ScalarType.h: No such file' src/train/plan.cpp '#include "number_types.hpp"'
finds '/boost/' src/base/text.cpp '#include <boost/program_options.hpp>'
finds 'mpi.h: No such file' src/parallel/traffic.cpp '#include "courier.hpp"'

while read -r file; do
  check_file "$ROOT" "$file"
done <"$WORK/files" >"$WORK/wrong"
[ ! -s "$WORK/wrong" ] || fail "$(cat "$WORK/wrong")"

# All headers together, by the compiler itself.
grep '\.hpp$' "$WORK/files" | sed "s,.*,#include \"$ROOT/&\"," >"$WORK/headers.cpp"
g++ -std=c++20 -I"$ROOT/include" -fsyntax-only "$WORK/headers.cpp"
