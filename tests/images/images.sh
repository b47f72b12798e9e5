# Images from the command line: one store whatever the number of ranks, what is left out is named,
# nothing left behind.
. "$ROOT/tests/support/images.sh"
P=$BIN/civitas-preprocess

make_images
mkdir -p single/cat
cp images/cat/1.png single/cat
mkdir 1 3
for n in 1 3; do
  (cd $n && ranks $n "$P" --images ../images --output t.h5 --pixels 16 --test-share 0.3 \
    --preview t.png >said 2>&1)
  cmp 1/t.h5 $n/t.h5 || fail "the store of $n ranks differs from that of one"
  cmp 1/t.png $n/t.png || fail "the sheet of $n ranks differs from that of one"
done
grep -q '8 images of 2 classes' 3/said || fail "no count of images in: $(cat 3/said)"
grep -q 'dog/9.jpg is left out (images that cannot be read)' 3/said || fail "$(cat 3/said)"
run "$BIN/civitas" inspect 1/t.h5 >told
for words in '8 images of 16 px, rgb' 'label 0: cat, ' 'label 1: dog, ' \
  'left out: images that cannot be read: 1' 'whole: every tile can be read'; do
  grep -q "$words" told || fail "no '$words' in: $(cat told)"
done
refuses 2 'holds 8 images (content rgb)' "$BIN/civitas-vectorize" 1/t.h5 --output t.gpkg
refuses 1 'has one class alone' "$P" --images single --output none.h5
[ ! -e none.h5 ] && [ ! -e t.gpkg ] && [ -z "$(find . -name '*.part*')" ] || fail "left behind: $(ls)"
