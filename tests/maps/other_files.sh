# Ranks that see other maps under the same names are told, with the rank and the file, before
# anything is written.
bin=$(dirname "$(command -v civitas-preprocess)")
mkdir first second

# land_cover FILE KIND X Y WIDTH HEIGHT...: a map of rectangles.
land_cover() {
  local file=$1 kind=$2 x y comma=''
  shift 2
  {
    printf '{"type": "FeatureCollection",'
    printf '"crs": {"type": "name", "properties": {"name": "EPSG:2056"}}, "features": ['
    while [ $# -gt 0 ]; do
      x=$((2600000 + $1)) y=$((1200000 + $2))
      printf '%s{"type": "Feature", "properties": {"Art": "%s"}, "geometry": ' "$comma" "$kind"
      printf '{"type": "Polygon", "coordinates": [[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]}}' \
        $x $y $((x + $3)) $y $((x + $3)) $((y + $4)) $x $((y + $4)) $x $y
      comma=,
      shift 4
    done
    printf ']}\n'
  } >"$file"
}
land_cover first/houses.geojson Gebaeude 20 20 60 60 120 20 60 60
land_cover first/roads.geojson Strasse_Weg 0 100 250 10
cp first/*.geojson second

words=(houses.geojson roads.geojson --output "$WORK/tiles.h5" --edge keep --test-share 0)
together() {
  timeout 60 mpirun --quiet --oversubscribe --bind-to none \
    -n 1 --wdir "$WORK/first" "$bin/civitas-preprocess" "${words[@]}" : \
    -n 1 --wdir "$WORK/second" "$bin/civitas-preprocess" "${words[@]}"
}
together >said || fail "the same files are refused: $(cat said)"
rm tiles.h5
land_cover second/roads.geojson Strasse_Weg 0 100 250 11
refuses 1 'rank 1: roads.geojson is not the file that rank 0 sees: its hash is' together
grep -qF 'Hint: each rank reads maps by itself' said || fail "no hint: $(cat said)"
rm second/roads.geojson
refuses 1 'rank 1: roads.geojson is not the file that rank 0 sees: it is missing here' together
[ -z "$(find . -name 'tiles.h5*')" ] || fail "written: $(find . -name 'tiles.h5*')"
