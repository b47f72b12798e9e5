#!/usr/bin/env bash
# Maps that other programs serve, on this machine's loopback and started for it: the sample town out of PostGIS and by
# WFS is the same tiles as its GeoPackage. Needs Debian's postgresql-15-postgis-3, cgi-mapserver and python3-h5py, and
# says what is missing.
#
#   bash tests/services.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=${BIN:-$root/build/release/bin}:$PATH
postgres=/usr/lib/postgresql/15/bin mapserver=/usr/lib/cgi-bin/mapserv
work=$(mktemp -d)
pids=()
end() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap end EXIT
chmod 755 "$work" # Servers that root starts are others'.
cd "$work"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# patiently COMMAND...: until it goes well, half a minute.
patiently() {
  local i
  for ((i = 0; i < 60; ++i)); do "$@" >said 2>&1 && return; sleep 0.5; done
  echo "it never came: $*" >&2; cat said >&2
  exit 1
}
# compare NAME STORE: its tiles with those of the GeoPackage.
compare() {
  civitas inspect "$2" >/dev/null
  /usr/bin/python3 - tiles.h5 "$2" <<'PYTHON' || { echo "$1: other tiles" >&2; exit 1; }
import h5py, sys
one, other = (h5py.File(name)["tiles"][:] for name in sys.argv[1:])
sys.exit(not (one.shape == other.shape and bool((one == other).all())))
PYTHON
  echo "$1: the tiles of the GeoPackage"
}
civitas-preprocess --sample 1 --pixels 64 --output tiles.h5 >log 2>&1 || { cat log >&2; exit 1; }

from_postgis() {
  [ -x $postgres/initdb ] || { echo 'not tried: no PostGIS'; return; }
  local port user=() source
  port=$(free_port)
  mkdir database
  # PostgreSQL refuses to run as root.
  if [ "$(id -u)" = 0 ]; then
    user=(runuser -u postgres --)
    chown postgres database
  fi
  (cd database && "${user[@]}" $postgres/initdb -D data -U civitas -A trust --no-sync) >log || { cat log >&2; exit 1; }
  (cd database && exec "${user[@]}" $postgres/postgres -D data -p "$port" -k '' -h 127.0.0.1 -F) >log 2>&1 &
  pids+=($!)
  local at=(-h 127.0.0.1 -p "$port" -U civitas)
  patiently $postgres/pg_isready "${at[@]}" -d postgres
  $postgres/createdb "${at[@]}" town
  $postgres/psql -q "${at[@]}" -d town -c 'create extension postgis' 2>log || { cat log >&2; exit 1; }
  source="PG:host=127.0.0.1 port=$port user=civitas password=nobody-sees-it dbname=town"
  ogr2ogr -q -f PostgreSQL "$source" sample.gpkg
  mpirun --quiet --oversubscribe -n 2 civitas-preprocess "$source" --pixels 64 --output postgis.h5 >log 2>&1 ||
    { cat log >&2; exit 1; }
  if civitas-preprocess "$source-not" --output none.h5 >refused 2>&1; then
    echo 'a database that is not there was read' >&2
    exit 1
  fi
  if grep -l nobody-sees-it log refused postgis.h5; then
    echo 'the password was told' >&2
    exit 1
  fi
  compare PostGIS postgis.h5
}

by_wfs() {
  [ -x $mapserver ] || { echo 'not tried: no MapServer'; return; }
  local port
  port=$(free_port)
  mkdir -p www/cgi-bin
  ln -s $mapserver www/cgi-bin/mapserv
  cat >town.map <<MAPFILE
MAP
  NAME "town"
  EXTENT 2400000 1000000 2900000 1400000
  PROJECTION "init=epsg:2056" END
  WEB METADATA
    "ows_title" "town" "ows_enable_request" "*" "ows_srs" "EPSG:2056"
    "ows_onlineresource" "http://127.0.0.1:$port/cgi-bin/mapserv?map=$work/town.map&"
  END END
  LAYER
    NAME "lcsf" TYPE POLYGON STATUS ON
    CONNECTIONTYPE OGR CONNECTION "$work/sample.gpkg" DATA "lcsf"
    PROJECTION "init=epsg:2056" END
    METADATA
      "ows_title" "lcsf" "gml_include_items" "all" "gml_featureid" "fid"
      "wfs_extent" "2400000 1000000 2900000 1400000"
    END
  END
END
MAPFILE
  printf 'CONFIG\n  ENV\n    "MS_MAP_PATTERN" "."\n  END\nEND\n' >mapserver.conf
  export MAPSERVER_CONFIG_FILE=$work/mapserver.conf
  (cd www && exec python3 -m http.server --cgi --bind 127.0.0.1 "$port") >served 2>&1 &
  pids+=($!)
  local source="WFS:http://127.0.0.1:$port/cgi-bin/mapserv?map=$work/town.map"
  patiently ogrinfo -so "$source" lcsf
  # By GDAL's pages of 100 features this takes four minutes.
  OGR_WFS_PAGE_SIZE=10000 civitas-preprocess "$source" --pixels 64 --output wfs.h5 >log 2>&1 ||
    { cat log served >&2; exit 1; }
  compare WFS wfs.h5
}

from_postgis
by_wfs
