#!/usr/bin/env bash
# clang-tidy on every file of the programs, or on those named, as many at a time as there are cores;
# for all files, first every public header alone. A file that passed is not looked at again until
# it, a header of the project or the rules change.
# Not part of run.sh: all files take half an hour on two cores.
#
#   bash tests/lint.sh [FILE...]          for example: bash tests/lint.sh src/io/files.cpp
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release
tidy=$(command -v clang-tidy-16) || {
  echo 'no clang-tidy-16. Hint: bash jobs/setup.sh --tests'
  exit 1
}
[ -e $build/CMakeCache.txt ] || {
  echo "no $build/CMakeCache.txt. Hint: cmake --preset release"
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# There each file is compiled alone.
torch=$(sed -n 's/^TORCH_ROOT:PATH=//p' $build/CMakeCache.txt)
cmake --preset lint -DTORCH_ROOT="$torch" >"$work/configured" 2>&1 || {
  cat "$work/configured"
  exit 1
}

# The flags of the build are GCC's: clang does not know all of them, and cannot read its precompiled
# headers, so that each file must include what it uses.
sed 's/-Winvalid-pch//g; s/-fopenmp//g; s/ -Werror/ -Werror -Wno-unknown-pragmas/g; s/-include [^ ]*cmake_pch[^ ]*//g' \
  build/lint/compile_commands.json \
  >"$work/compile_commands.json"
mkdir -p $build/tidy
rules=$({ cat .clang-tidy; "$tidy" --version; find include src preprocess -name '*.hpp' -print0 |
  sort -z | xargs -0 cat; } | sha256sum)

lint() {
  local file=$1 key passed=$build/tidy/${1//\//-}
  key=$({ echo "$rules"; cat "$file"; } | sha256sum)
  [ -e "$passed" ] && [ "$(cat "$passed")" = "$key" ] && return
  if "$tidy" --quiet -p "$work" --extra-arg=-Wno-unknown-warning-option "$file" 2>/dev/null; then
    echo "$key" >"$passed"
  else
    echo "$file" >>"$work/failed"
  fi
}
export -f lint
export build rules tidy work

if [ $# -eq 0 ]; then
  cmake --build $build --target headers_alone >"$work/headers" || {
    tail -n 60 "$work/headers"
    exit 1
  }
  mapfile -t files < <(find src preprocess -name '*.cpp' | sort)
  set -- "${files[@]}"
fi
# Files of another configuration, such as CUDA, are not in this build.
for file in "$@"; do
  shift
  if grep -qF "/$file\"" "$work/compile_commands.json"; then set -- "$@" "$file"; fi
done
[ $# -gt 0 ] || exit 0
# The inner shell expands its own $1.
# shellcheck disable=SC2016
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'lint "$1"' _
if [ -e "$work/failed" ]; then
  echo "$(wc -l <"$work/failed") of $# files have findings"
  exit 1
fi
echo "$# files, no findings"
