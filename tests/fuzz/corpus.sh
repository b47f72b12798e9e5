# Files that were found or made to harm the readers: each is read, or refused with a message of ours
# that names it; those called bad-* are refused. Debian's python3 is the one with h5py.
fuzz_files seeds cases
/usr/bin/python3 "$ROOT/tests/fuzz/crafted.py" cases
for kind in cases/*/; do
  fuzz_files try "$(basename "$kind")" "$kind"* >>said || failed=1
done
grep FOUND said && fail 'readers do not refuse these as they should'
[ -z "${failed:-}" ] || fail "the fuzz program ends early: $(tail -n 3 said)"
grep '^ok: .*/bad-' said && fail 'these are read as if they were whole'
whole='written.h5\|images.h5\|foreign.h5\|compact.h5\|step-00000007.h5\|resolved.ini\|profile/whole.json\|1f1b\|gan'
whole="$whole"'\|.*\.safetensors\|town.[ix]tf\|osm.ini\|swiss.ini\|bgt.ini\|alkis.ini\|geoclimate.ini'
grep "^refused: .*/\($whole\)" said &&
  fail 'these are whole'
[ "$(wc -l <said)" -gt 500 ] || fail "only $(wc -l <said) cases"
