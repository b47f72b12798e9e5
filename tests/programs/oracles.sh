# Every figure of `civitas evaluate` beside those of other people's programs, where a Python on the PATH has them.
while read -r candidate; do
  PYTHON=$candidate bash "$ROOT/tests/oracles.sh" 64 </dev/null >log 2>&1 || fail "$(cat log)"
  cat log
  if grep -q '^64 pixels.*: 4[1-9] figures compared, 0 values differ$' log; then exit 0; fi
  grep -q '^not compared: .* imports no ' log || fail "neither compared nor said why not: $(cat log)"
done < <(type -ap python3)
