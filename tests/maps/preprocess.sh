# The program from the command line: the built-in town, one store whatever the number of ranks,
# messages and exit codes, nothing left behind.
P=$BIN/civitas-preprocess

run "$P" --help >help
grep -q -- '--min-building' help || fail "no --min-building in --help"
refuses 2 'unknown option --min-bulding' "$P" a.gpkg --output t.h5 --min-bulding 0.1
refuses 2 'no INPUT is given' "$P" --output t.h5
refuses 2 'there is no map' "$P" a.gpkg --output t.h5
refuses 2 'there is no folder' "$P" a.gpkg --output none/t.h5

run "$P" --sample 3 --output one.h5 --pixels 64 --preview one.png >said
grep -q 'to train' said || fail "no count of tiles in: $(cat said)"
left=$(ls | sort | tr '\n' ' ')
[ "$left" = "help one.h5 one.png said sample.gpkg " ] || fail "left behind: $left"
mkdir 1 4
for n in 1 4; do
  (cd $n && ranks $n "$P" ../sample.gpkg --output t.h5 --pixels 64 >/dev/null)
  cmp 1/t.h5 $n/t.h5 || fail "the store of $n ranks differs from that of one"
done
# A refusal leaves a store that is there alone, whatever the number of ranks.
cp one.h5 before.h5
refuses 1 'no tile has' mpirun --quiet --oversubscribe --bind-to none -n 2 "$P" sample.gpkg \
  --output one.h5 --min-building 0.99 --overwrite
cmp one.h5 before.h5 || fail "a refused run has changed the store"
[ -z "$(find . -name '*.part*')" ] || fail "a part is left"
