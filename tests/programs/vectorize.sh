# Maps of a town's tiles as other programs read them: figures of the buildings by GDAL's Python, and the
# official validator of CityJSON (cjvalpy), each where it is installed.
run "$BIN/civitas-preprocess" --sample 1 --sample-style perimeter --output tiles.h5 --pixels 128 >/dev/null
vectorize() { run "$BIN/civitas-vectorize" tiles.h5 --tiles 0-29 --output "$@" >/dev/null; }
vectorize town.gpkg
vectorize town.city.json --floors 2

python=/usr/bin/python3
if "$python" -c 'from osgeo import ogr' 2>/dev/null; then
  "$python" "$ROOT/tests/bench/truth.py" town.gpkg >figures 2>said || fail "no figures: $(cat said)"
  of() { awk -v name="$1" 'index($0, name) == 1 { sub(name, ""); print $1 }' figures; }
  [ "$(of 'under 12 m2')" = 0 ] || fail "small buildings: $(cat figures)"
  [ "$(of 'on a road')" = 0 ] || fail "buildings on roads: $(cat figures)"
  awk "BEGIN { exit !($(of 'right angles, %') >= 80) }" || fail "few right angles: $(cat figures)"
  awk "BEGIN { exit !($(of 'buildings') > 30) }" || fail "few buildings: $(cat figures)"
else
  echo 'no python3-gdal: the figures were not looked at'
fi

while read -r candidate; do
  "$candidate" -c 'import cjvalpy' 2>/dev/null || continue
  "$candidate" - town.city.json <<'PYTHON' >report || fail "no valid CityJSON: $(cat report)"
import sys
import cjvalpy
validator = cjvalpy.CJValidator([open(sys.argv[1]).read()])
said = validator.validate()
report = said if isinstance(said, str) else validator.get_report()
print(report)
sys.exit(not (said is True or "File is valid" in report))
PYTHON
  echo 'CityJSON: valid for cjvalpy'
  break
done < <(type -ap python3)
