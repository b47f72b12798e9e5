#!/usr/bin/env bash
# Runs every test, from nothing: set-up, build, the quickstart (whose training the learning tests
# judge), then ctest with the time of each test. The last line is always "N passed, N failed".
#
#   bash tests/run.sh [CTEST OPTIONS]      for example: bash tests/run.sh -R '^cli/'
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
log=$(mktemp)
verdict='0 passed, 1 failed'
trap 'rm -f "$log"; echo "$verdict"' EXIT

stage() { echo "== $1 ($(date +%T))"; }

stage 'set-up'
bash "$root/jobs/setup.sh" --tests

stage 'build'
cd "$root"
cmake --preset release -DCIVITAS_TESTS=ON \
  -DTORCH_ROOT="${TORCH_ROOT:-$root/build/libtorch/torch}" >"$log" || { cat "$log"; exit 1; }
cmake --build --preset release >"$log" || { tail -n 60 "$log"; exit 1; }

stage 'quickstart'
quickstart=0
bash "$root/jobs/quickstart.sh" || quickstart=$?

stage 'tests'
# One more at a time than there are cores: most tests wait for something now and then.
ctest --test-dir "$build" --parallel $(($(nproc) + 1)) --output-on-failure "$@" </dev/null |
  tee "$log" || true

# ctest: " 3/40 Test #7: cli/options.1 ......   Passed    0.31 sec"
awk '/ Test +#[0-9]+: / && / sec *$/ && $(NF-1) > 60 {
  print "SLOW (over 60 s): " $0
}' "$log"

read -r passed failed < <(awk '/tests passed, .* tests failed out of/ {
  print $(NF) - $(NF-5), $(NF-5)
}' "$log")
[ "$quickstart" = 0 ] || failed=$((failed + 1))
verdict="$passed passed, $failed failed"
if [ "$quickstart" != 0 ]; then
  echo "The quickstart ended with $quickstart, see above."
  exit 1
fi
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
