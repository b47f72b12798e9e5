# near FILE WHOLE RUN...: the checkpoint of this name in each run has the arrays of that in WHOLE, within rounding.
near() {
  /usr/bin/python3 - "$@" <<'PYTHON' || fail "the results differ"
import h5py, sys
def arrays(run):
    found = {}
    with h5py.File(run + "/checkpoints/" + sys.argv[1]) as file:
        file.visititems(lambda name, item: found.update({name: item[()]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else None)
    return found
whole = arrays(sys.argv[2])
assert "generator/parameters/deconv1.weight" in whole, sorted(whole)
for run in sys.argv[3:]:
    mine = arrays(run)
    assert mine.keys() == whole.keys(), run
    for name, values in whole.items():
        assert mine[name].shape == values.shape, (run, name)
        assert abs(mine[name] - values).max() < 1e-10, (run, name)
PYTHON
}
