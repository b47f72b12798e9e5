# No output of any program is written over an input, over another output, over what is no regular
# file, or over what exists unless that is said; told before any work, so that small texts can stand
# for maps, stores and checkpoints here.
small=(--net dcgan-64 --batch 8 --micro-batch 4)
run civitas plan "${small[@]}" --brief --print table.txt >/dev/null # tables are read with the options
for file in map.gpkg tiles.h5 store.gpkg plans.csv machine.ini old.h5 old.png old.gpkg \
  old.csv old.html old.txt old.svg old.json old.safetensors sample.gpkg; do echo "text of $file" >"$file"; done
ln -s sample.gpkg town.h5
mkdir -p run/checkpoints
echo 'a checkpoint' >run/checkpoints/step-00000002.h5
for ending in h5 png html gpkg txt svg json safetensors; do mkfifo "fifo.$ending"; done
state() { find . ! -name said -printf '%p %y %l\n' | sort; find . -type f ! -name said -exec cksum {} + | sort; }
before=$(state)

# an_output INPUT ENDING COMMAND... OPTION: every way in which it may not be written.
an_output() {
  local input=$1 ending=$2
  shift 2
  refuses 2 'which is read' "$@" "$input" --overwrite
  refuses 2 'exists already. Hint: --overwrite replaces it' "$@" "old.$ending"
  refuses 2 'is a FIFO, no regular file' "$@" "fifo.$ending" --overwrite
}
an_output map.gpkg h5 civitas-preprocess map.gpkg --output
an_output map.gpkg png civitas-preprocess map.gpkg --output t.h5 --preview
an_output map.gpkg html civitas-preprocess map.gpkg --output t.h5 --report
an_output store.gpkg gpkg civitas-vectorize store.gpkg --output
an_output run/checkpoints/step-00000002.h5 h5 civitas generate --checkpoint run --output
an_output run/checkpoints/step-00000003.h5 png civitas generate --checkpoint run --output p.h5 --sheet
an_output run/checkpoints/step-00000002.h5 safetensors civitas export --checkpoint run --to
an_output tiles.h5 txt civitas evaluate --checkpoint run --tiles tiles.h5 --output
an_output tiles.h5 json civitas train --tiles tiles.h5 --run new "${small[@]}" --trace
an_output machine.ini svg civitas plan "${small[@]}" --machine machine.ini --draw
an_output table.txt txt civitas plan "${small[@]}" --schedule table.txt --print

# What a run keeps of its own is no place for a trace, be it there already or not.
for own in config.ini metrics.jsonl lock resumed; do
  refuses 2 'which is read' civitas train --tiles tiles.h5 --run run "${small[@]}" --trace "run/$own" --overwrite
done

# Outputs that nobody named, and two of one name.
refuses 2 'sample.gpkg exists already' civitas-preprocess --sample 1 --output t.h5
refuses 2 'old.csv exists already' civitas-vectorize tiles.h5 --output old.dxf
refuses 2 'plans.csv, which is read' civitas-vectorize plans.csv --output plans.geojson --overwrite
refuses 2 'are the same file' civitas-preprocess map.gpkg --output new --preview ./new
refuses 2 'are the same file' civitas generate --checkpoint run --output p.h5 --sheet p.h5
refuses 2 'sample.gpkg are the same file' civitas-preprocess --sample 1 --output town.h5 --overwrite

# A name that ends as files of another format do is refused before any work, too.
of_format() { refuses 2 "$1: what is written is no .${1##*.} file. Hint: a $2 file." "${@:3}" "${1##* }"; }
of_format '--output t.json' '.h5 or .hdf5' civitas-preprocess map.gpkg --output
of_format '--preview t.jpg' .png civitas-preprocess map.gpkg --output t.h5 --preview
of_format '--report t.pdf' '.html or .htm' civitas-preprocess map.gpkg --output t.h5 --report
of_format '--output p.png' '.h5 or .hdf5' civitas generate --checkpoint run --output
of_format '--sheet p.jpg' .png civitas generate --checkpoint run --output p.h5 --sheet
of_format '--to p.pt' .safetensors civitas export --checkpoint run --to
of_format '--to p.safetensors' '.h5 or .hdf5' civitas import --from tiles.h5 --net vgg-11 --to
of_format '--output e.csv' '.json or .txt' civitas evaluate --checkpoint run --tiles tiles.h5 --output
of_format '--page e.txt' '.html or .htm' civitas evaluate --checkpoint run --tiles tiles.h5 --page
of_format '--output c.txt' .csv civitas classify --checkpoint run --tiles tiles.h5 --output
of_format '--confusion c.html' .csv civitas classify --checkpoint run --tiles tiles.h5 --confusion
of_format '--output r.png' '.html or .htm' civitas report run --output
of_format '--trace t.svg' .json civitas train --tiles tiles.h5 --run new "${small[@]}" --trace
of_format '--draw a.png' .svg civitas plan "${small[@]}" --draw
of_format '--print a.json' .txt civitas plan "${small[@]}" --print
[ "$(state)" = "$before" ] || fail "a refused command changed: $(diff <(echo "$before") <(state))"

# What --overwrite replaces is the file; a link to it stays.
ln -s old.txt link.txt
run civitas plan "${small[@]}" --brief --print link.txt --overwrite >/dev/null
{ [ -L link.txt ] && ! grep -q 'text of' old.txt; } || fail "the link was replaced, not its target"
refuses 2 'link.txt (a link to old.txt) exists already' civitas plan "${small[@]}" --print link.txt

# What is unfinished shares its name with nothing: neither with a download nor with another command.
echo 'half a download' >step.svg.part
cp step.svg.part download
run civitas plan "${small[@]}" --brief --draw step.svg --print step.txt >/dev/null
cmp step.svg.part download || fail "a file that was named like a part has changed"

# Of commands that write one file at once, one does, or all in turn: it is whole.
at_once() {
  local codes='' one
  for one in 1 2 3; do
    (rc=0; civitas plan "${small[@]}" --brief --print "$@" >"said$one" 2>&1 || rc=$?; echo $rc >"code$one") &
  done
  wait
  for one in 1 2 3; do
    codes+="$(cat "code$one") "
    grep -q -e '^wrote' -e 'exists already' -e 'appeared while this program ran' "said$one" || fail "$(cat "said$one")"
  done
  cmp "$1" step.txt || fail "what commands wrote at once is not whole"
  echo "$codes"
}
for name in one two three; do
  codes=$(at_once $name.txt)
  [ "$(tr -dc 0 <<<"$codes")" = 0 ] || fail "not one of them wrote: $codes"
  [ "$(at_once $name.txt --overwrite)" = '0 0 0 ' ] || fail "not all of them wrote"
done
[ "$(find . -name '*.part*')" = ./step.svg.part ] || fail "left: $(find . -name '*.part*')"
