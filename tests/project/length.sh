# Files that can be read in one go: 300 lines at most, C++ of 100 columns, scripts of 120. (The
# length of functions is clang-tidy's business.)
cd "$ROOT"
files() { find include src preprocess tests jobs .ci -type f \( -name '*.[ch]pp' -o -name '*.sh' \
  -o -name '*.sbatch' -o -name CMakeLists.txt -o -name '*.cmake' -o -path '.ci/*' \); }

too_long() { awk 'FNR > 300 { print FILENAME; nextfile }' "$@"; }
too_wide() {
  awk 'length > (FILENAME ~ /pp$/ ? 100 : 120) && FILENAME !~ /CMakeLists/ {
    print FILENAME ":" FNR }' "$@"
}

seq 301 >"$WORK/long.cpp"
printf '%0101d\n' 0 >"$WORK/wide.cpp"
[ -n "$(too_long "$WORK/long.cpp")" ] || fail 'a long file passes'
[ -n "$(too_wide "$WORK/wide.cpp")" ] || fail 'a wide file passes'

# Of modules, which one keeps in mind: 3200 lines at most. (Folders of preprocess are programs.)
too_much() {
  local module lines
  for module in "$1"/src/*/; do
    module=$(basename "$module")
    lines=$(find "$1/src/$module" "$1/include/civitas/$module" -name '*.[ch]pp' -exec cat {} + 2>/dev/null | wc -l)
    [ "$lines" -le 3200 ] || echo "$module has $lines lines"
  done
}
mkdir -p "$WORK/tree/src/big"
seq 3201 >"$WORK/tree/src/big/a.cpp"
[ -n "$(too_much "$WORK/tree")" ] || fail 'a large module passes'
wrong=$(too_much .)
[ -z "$wrong" ] || fail "$wrong"

mapfile -t all < <(files)
[ ${#all[@]} -gt 50 ] || fail "only ${#all[@]} files found"
wrong=$(too_long "${all[@]}"; too_wide "${all[@]}")
[ -z "$wrong" ] || fail "too many lines or columns: $wrong"
wc -l "${all[@]}" | sort -n | tail -n 6
