#!/usr/bin/env bash
# clang-tidy on a few files: tidy.sh BUILD_FOLDER FILE... A file that passed is not looked at again
# until it, a header of the project or the rules change.
set -euo pipefail
build=$1
shift
tidy=$(command -v clang-tidy-16) || {
  echo 'no clang-tidy-16. Hint: bash jobs/setup.sh --tests'
  exit 1
}
# The flags of the build are GCC's: clang does not know all of them, and cannot read its precompiled
# headers, so that each file must include what it uses.
mkdir -p "$build/tidy"
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed 's/-Winvalid-pch//g; s/-include [^ ]*cmake_pch[^ ]*//g' "$build/compile_commands.json" \
  >"$commands/compile_commands.json"
flags=(--quiet -p "$commands" --extra-arg=-Wno-unknown-warning-option)
headers=$(find include src preprocess -name '*.hpp' -print0 | sort -z | xargs -0 cat | sha256sum)
failed=0
for file in "$@"; do
  key=$({ echo "$headers"; cat .clang-tidy "$file"; "$tidy" --version; } | sha256sum)
  passed=$build/tidy/${file//\//-}
  if [ -e "$passed" ] && [ "$(cat "$passed")" = "$key" ]; then continue; fi
  if "$tidy" "${flags[@]}" "$file" 2>/dev/null; then
    echo "$key" >"$passed"
  else
    failed=1
  fi
done
exit $failed
