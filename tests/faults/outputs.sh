# Room that runs out at what the programs write beside trainings: the old file stays whole, or the
# new one is.

# output_full NAME COMMAND...: which writes out/NAME, among others, over a copy of the file $old, as
# the options `onto` allow.
output_full() {
  local name=$1 used size free
  shift
  small_disk out
  cp "$old" "out/$name"
  rc=0
  timeout -k 1 120 "$@" "${onto[@]}" >said 2>&1 || rc=$?
  if [ "$rc" != 0 ]; then
    umount out
    begin "$name with room enough"
    failed "exit code $rc" || return 0
  fi
  used=$(du -s -B 1 out | cut -f 1) size=$(stat -c %s "out/$name")
  umount out
  for free in $(printf '%d\n' 0 4096 $((used / 2 / 4096 * 4096)) $((used - 4096)) | sort -nu); do
    begin "$name with $free of $used bytes left"
    small_disk out
    cp "$old" "out/$name"
    leave out "$free"
    rc=0
    timeout -k 1 120 "$@" "${onto[@]}" >said 2>&1 || rc=$?
    judge_output "$name" "$size"
    umount out
  done
}

judge_output() {
  if [ "$rc" = 0 ]; then
    [ "$(stat -c %s "out/$1")" = "$2" ] || failed "ended well with $(stat -c %s "out/$1") bytes, not $2" || return 0
    passed survived
    return 0
  fi
  refusal "$1|out/" || return 0
  cmp -s "$old" "out/$1" || failed 'the old file is gone' || return 0
  [ -z "$(find out -name '*part*')" ] || failed "left: $(find out -name '*part*')" || return 0
  passed "named: $(grep -oE 'error: .*' said | head -n 1 | cut -c 1-150)"
}

# A trace belongs to a training: that is whole without it.
trace_full() {
  begin "trace with $1 bytes left"
  small_disk out
  leave out "$1"
  cp -r begun "$run"
  train 2 "$run" --mesh pipe=2 --trace "$WORK/out/trace.json"
  await
  judge 'trace\.json'
  umount out
  rm -rf "$run"
}

# A map of squares between streets, near Bern: 1 600 houses and 11 streets.
town() {
  awk 'function feature(kind, type, points) {
    printf "%s{\"type\":\"Feature\",\"properties\":{\"kind\":\"%s\"},"\
      "\"geometry\":{\"type\":\"%s\",\"coordinates\":%s}}",
      (n++ ? ",\n" : ""), kind, type, points }
  function at(x, y) { return sprintf("[%.6f,%.6f]", 7.4 + x * 4e-4, 46.9 + y * 3e-4) }
  BEGIN {
    print "{\"type\":\"FeatureCollection\",\"name\":\"town\",\"features\":["
    for (i = 0; i < 40; ++i) for (j = 0; j < 40; ++j)
      feature("house", "Polygon",
        "[[" at(i, j) "," at(i + .5, j) "," at(i + .5, j + .5) "," at(i, j + .5) "," at(i, j) "]]")
    for (i = 0; i <= 40; i += 4)
      feature("street", "LineString", "[" at(i - .25, 0) "," at(i - .25, 40) "]")
    print "]}"
  }' >town.geojson
}

# Layers that are added to a GeoPackage.
append_full() {
  civitas-vectorize plans.h5 --tiles 0-1 --output before.gpkg >/dev/null
  local old=before.gpkg onto=(--append --layer-prefix more_)
  output_full map.gpkg civitas-vectorize plans.h5 --tiles 2-5 --output out/map.gpkg
}

class_outputs() {
  trace_full 0
  trace_full 8192
  echo 'what was here' >what_was_here
  local ending old=what_was_here onto=(--overwrite)
  output_full plans.h5 civitas generate --checkpoint straight --count 64 --output out/plans.h5
  output_full sheet.png civitas generate --checkpoint straight --count 64 --output plans.h5 --sheet out/sheet.png
  rm -f plans.h5
  civitas generate --checkpoint straight --count 64 --output plans.h5 >/dev/null
  output_full figures.txt civitas evaluate --checkpoint straight --tiles tiles.h5 --output out/figures.txt
  output_full step.svg civitas plan "${net[@]}" --mesh data=1 --draw out/step.svg
  output_full table.txt civitas plan "${net[@]}" --mesh data=1 --print out/table.txt
  if command -v civitas-vectorize >/dev/null; then
    for ending in gpkg dxf geojson; do
      output_full "map.$ending" civitas-vectorize plans.h5 --tiles 0-15 --output "out/map.$ending"
    done
    append_full
  fi
  if command -v civitas-preprocess >/dev/null; then
    town
    local read=(civitas-preprocess town.geojson --buildings "town:kind='house'" --roads "town:kind='street'"
                --edge keep --pixels 64)
    output_full tiles.h5 "${read[@]}" --output out/tiles.h5
    output_full preview.png "${read[@]}" --output map.h5 --preview out/preview.png
  fi
}
