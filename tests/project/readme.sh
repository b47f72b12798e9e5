# The commands that README.md and the pages of the folders show work. A fenced block that opens with
# ```bash is run when its first line is `# tested`; one that cannot be run here says in that line what
# it needs, as `# needs Slurm`; any other is refused. README.md's blocks are run in order in one empty
# folder, the tour; those of another page in a folder of its own, which begins as the tour ended
# where one of them says `# tested, goes on from the tour in README.md`, and where `jobs` is the scripts.
further='# tested, goes on from the tour in README.md'

# blocks_of PAGE: the tested commands. unmarked PAGE: lines where a block begins without a mark.
blocks_of() {
  awk '/^```bash$/ { first = 1; next }
       /^```$/ { tested = 0; next }
       first { first = 0; tested = /^# tested(,|$)/; next }
       tested' "$1"
}
unmarked() {
  awk -v further="$further" '/^```(bash|sh|shell|console)?$/ { inside = !inside; first = inside && /[a-z]/; next }
       first { first = 0; if ($0 != "# tested" && $0 != further && !/^# needs ./) print FNR }' "$1"
}

printf '%s\n' text '```bash' '# tested' 'one' '```' '```bash' '# needs a cluster' 'two' '```' '```bash' \
  "$further" 'three' '```' >sample.md
[ "$(blocks_of sample.md)" = "$(printf 'one\nthree')" ] || fail 'blocks are not read right'
[ -z "$(unmarked sample.md)" ] || fail 'marks are not read right'
printf '%s\n' '```bash' 'four' '```' '```' 'text' '```' '```sh' 'five' '```' '```bash' '# tests' '```' >>sample.md
[ "$(unmarked sample.md | xargs)" = '15 21 24' ] || fail "blocks without marks: lines $(unmarked sample.md | xargs)"

mapfile -t pages < <(cd "$ROOT" && find jobs preprocess src tests -name README.md | sort)
[ ${#pages[@]} -ge 6 ] || fail "only ${#pages[@]} pages found"
for page in README.md "${pages[@]}"; do
  wrong=$(unmarked "$ROOT/$page" | xargs)
  [ -z "$wrong" ] || fail "$page, lines $wrong: a block is neither '# tested' nor '# needs ...'"
done

# Ranks that wait leave their core to others.
export OMPI_MCA_mpi_yield_when_idle=1

source "$ROOT/tests/support/python.sh"

# run_page PAGE: in this folder.
run_page() {
  local begin=$SECONDS
  blocks_of "$ROOT/$1" >"$WORK/commands.sh"
  PATH=$BIN:$(dirname "$python"):$PATH bash -euo pipefail -x "$WORK/commands.sh" || fail "a command of $1, see above"
  echo "== $1: $((SECONDS - begin)) s"
}

# as_the_tour FOLDER: tile stores and checkpoints are never changed in place, so links to them do.
as_the_tour() {
  cp -al "$WORK/tour" "$1"
  (cd "$WORK/tour" && find . -type f ! -name '*.h5' -exec cp -p --parents --remove-destination -t "$1" {} +)
}

mkdir tour
cd tour
run_page README.md

# What metrics.jsonl holds is what its description says, no more and no less.
# shellcheck disable=SC2016
described() {
  awk -F'|' '/^\| in a line of `metrics.jsonl`/ { inside = 1; next } !/^\|/ { inside = 0 } inside { print $2 }' \
    "$ROOT/src/data/README.md" | grep -o '`[a-z_]*`' | tr -d '`' | sort -u
}
printed() { head -n 1 town/metrics.jsonl | grep -o '"[a-z_]*":' | tr -d '":' | sort -u; }
[ "$(described)" = "$(printed)" ] ||
  fail "src/data/README.md describes $(described | xargs), metrics.jsonl has $(printed | xargs)"

for page in "${pages[@]}"; do
  [ -n "$(blocks_of "$ROOT/$page")" ] || continue
  folder=$WORK/page
  if grep -qxF -- "$further" "$ROOT/$page"; then as_the_tour "$folder"; else mkdir "$folder"; fi
  cd "$folder"
  ln -s "$ROOT/jobs" jobs
  run_page "$page"
  cd "$WORK"
  rm -r "$folder"
done
