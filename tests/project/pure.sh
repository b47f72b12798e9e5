# What describes and plans a run needs a C++ compiler alone: no MPI, no libtorch, no option parser.
# The build itself shows it: the command lines of these modules and of their tests name no other
# include folder than the project's own, and their test programs are linked to the C++ library alone.
# That none includes a system header of another library is what layers.sh looks at.
modules='base|random|conditions|net|schedule|planner|strategy'
build=$BIN/..

# The command lines of modules (of several, a|b), of the tests of folders.
commands() { grep -E "\"command\": .* -o src/CMakeFiles/civitas_($1)\.dir/" "$build/compile_commands.json"; }
test_commands() { grep -E "\"command\": .* -o tests/($1)(\.dir)?/" "$build/compile_commands.json"; }

# foreign: of command lines, the include folders and precompiled headers that are not the project's.
foreign() { grep -oE -- '(-I|-isystem|-include) ?[^ "]+' | grep -vxE -- "-I$ROOT/(include|tests)" || true; }

{ cat "$build"/src/CMakeFiles/civitas_*.dir/Unity/*.cxx 2>/dev/null || true; commands "$modules"; } >built
for file in $(eval "ls $ROOT/src/{${modules//|/,}}/*.cpp"); do
  grep -qF "$file\"" built || fail "$file is not built"
done
commands "$modules" >lines
test_commands 'base|random|conditions|net|schedule|planner|strategy|CMakeFiles/(pure_test_main|catch_runner)' >>lines
foreign <lines | sort -u >wrong
[ ! -s wrong ] || fail "pure modules are built with $(cat wrong)"
[ -n "$(commands nn | foreign)" ] || fail 'a module with libtorch looks pure'

# with LINE FILE: the command of FILE, with this line more, must fail.
planted() {
  local line
  { cat "$ROOT/$2"; echo "$1"; } >planted.cpp
  line=$(commands "$(basename "${2%/*}")" | head -n 1 | sed 's/.*"command": "//; s/ -o .*//; s/\\"/"/g; s/\\\\/\\/g')
  # The line is what CMake wrote for a shell.
  ! eval "$line -I$ROOT/$(dirname "$2") -fsyntax-only planted.cpp" >said 2>&1 || fail "compiled: $1 in $2"
  grep -q 'No such file' said || fail "$1 in $2 fails for another reason: $(cat said)"
}
planted '#include <mpi.h>' src/planner/network.cpp
planted '#include <ATen/core/Tensor.h>' src/net/loss_kind.cpp
planted '#include "civitas/comm/mesh.hpp"' src/schedule/placement.cpp

for program in base random conditions net schedule planner strategy; do
  readelf -d "$TESTS/test_$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >needed
  [ -s needed ] || fail "test_$program needs no library at all"
  ! grep -vE '^(libstdc\+\+|libm|libgcc_s|libc|ld-linux.*)\.so' needed || fail "test_$program is linked to more"
done
