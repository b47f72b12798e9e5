#!/usr/bin/env bash
# Real tiles, cut to pixels and vectorised again, beside the survey's own polygons on their ground.
#
#   CIVITAS_MAPS=FOLDER bash tests/bench/truth.sh [PIXELS...]      (256 64)
#   bash tests/bench/truth.sh --plans PLANS.h5                     (the figures of generated plans)
#
# FOLDER holds liechtenstein_osm_latest/ and ch_lcsf_derived/ with the maps of preprocess/README.md.
# Needs ogr2ogr and the Python of GDAL (python3-gdal); some minutes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${CIVITAS_BIN:-$root/build/release/bin}
python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figures() { "$python" "$root/tests/bench/truth.py" "$@"; }

if [ "${1:-}" = --plans ]; then
  "$bin/civitas-vectorize" "${2:?a store of plans}" --output "$work/plans.gpkg" >"$work/log"
  figures "$work/plans.gpkg"
  exit
fi
maps=${CIVITAS_MAPS:?the folder of the maps}
osm=$maps/liechtenstein_osm_latest/liechtenstein-latest.osm.pbf
sauge=$maps/ch_lcsf_derived/lcsf_449_sauge_be.gpkg

# The widths of preprocess/README.md; tunnels and what lies below ground are no roads.
widths="CASE replace(highway, '_link', '') WHEN 'motorway' THEN 10 WHEN 'trunk' THEN 9
  WHEN 'primary' THEN 8 WHEN 'secondary' THEN 7 WHEN 'tertiary' THEN 6 WHEN 'service' THEN 4
  WHEN 'pedestrian' THEN 4 WHEN 'track' THEN 3 WHEN 'residential' THEN 5.5
  WHEN 'unclassified' THEN 5.5 WHEN 'living_street' THEN 5.5 WHEN 'road' THEN 5.5
  WHEN 'busway' THEN 5.5 WHEN 'footway' THEN 2 WHEN 'path' THEN 2 WHEN 'cycleway' THEN 2
  WHEN 'steps' THEN 2 WHEN 'bridleway' THEN 2 ELSE 0 END"
survey_of_liechtenstein() {
  ogr2ogr -q -t_srs EPSG:32632 -nln buildings "$work/liechtenstein.gpkg" "$osm" -sql \
    "SELECT osm_id FROM multipolygons WHERE building IS NOT NULL AND building <> 'no'"
  ogr2ogr -q -update -t_srs EPSG:32632 -nln lines "$work/liechtenstein.gpkg" "$osm" -sql \
    "SELECT highway, other_tags FROM lines WHERE highway IS NOT NULL AND (other_tags IS NULL OR
     (other_tags NOT LIKE '%\"tunnel\"=>\"yes\"%' AND other_tags NOT LIKE '%\"layer\"=>\"-%'))"
  ogr2ogr -q -update -nln roads "$work/liechtenstein.gpkg" "$work/liechtenstein.gpkg" \
    -dialect sqlite -sql "SELECT ST_Buffer(geom, w / 2) AS geom FROM
     (SELECT geom, $widths AS w FROM lines) WHERE w > 0"
}
survey_of_sauge() {
  ogr2ogr -q -nln buildings -where "Art = 'Gebaeude'" "$work/sauge.gpkg" "$sauge"
  ogr2ogr -q -update -nln roads -where "Art IN ('Strasse_Weg', 'Trottoir', 'Verkehrsinsel')" \
    "$work/sauge.gpkg" "$sauge"
}

survey_of_liechtenstein
survey_of_sauge
[ $# -gt 0 ] || set -- 256 64
for pixels in "$@"; do
  for place in liechtenstein sauge; do
    map=$osm
    [ $place = liechtenstein ] || map=$sauge
    store=$work/$place-$pixels
    "$bin/civitas-preprocess" "$map" --output "$store.h5" --pixels "$pixels" >"$work/log"
    "$bin/civitas-vectorize" "$store.h5" --output "$store.gpkg" >"$work/log"
    echo "== $place, $pixels pixels a side: vectorised, and the survey"
    figures "$store.gpkg" "$work/$place.gpkg"
  done
done
