# The commands that README.md shows work: every fenced block that opens with ```bash and has the
# line `# tested` at its top is run, in order, in one empty folder, with the programs on the PATH.
commands_of() {
  awk '/^```bash$/ { inside = 1; first = 1; next }
       /^```$/ { inside = 0; tested = 0; next }
       inside && first { first = 0; tested = /^# tested/; next }
       inside && tested' "$1"
}

printf '%s\n' text '```bash' '# tested' 'one' '```' '```bash' 'two' '```' '```bash' '# tested' \
  'three' '```' >sample.md
[ "$(commands_of sample.md)" = "$(printf 'one\nthree')" ] || fail 'blocks are not read right'

commands_of "$ROOT/README.md" >commands.sh
mkdir folder
cd folder
# Debian's python3 is the one with h5py.
PATH=$BIN:/usr/bin:$PATH bash -euo pipefail -x ../commands.sh || fail 'a command of README.md, see above'

# What metrics.jsonl holds is what README.md describes, no more and no less.
# shellcheck disable=SC2016
described() {
  awk -F'|' '/^\| in a line of `metrics.jsonl`/ { inside = 1; next } !/^\|/ { inside = 0 } inside { print $2 }' \
    "$1" | grep -o '`[a-z_]*`' | tr -d '`' | sort
}
printed() { head -n 1 town/metrics.jsonl | grep -o '"[a-z_]*":' | tr -d '":' | sort; }
[ "$(described "$ROOT/README.md")" = "$(printed)" ] ||
  fail "README.md describes $(described "$ROOT/README.md" | xargs), metrics.jsonl has $(printed | xargs)"
