# The page of what became of maps, or of images: it says what was printed, whatever the number of ranks; browsers show
# it, ask nobody, and complain of nothing; it is written where it may be, with a store.
. "$ROOT/tests/support/browser.sh"
. "$ROOT/tests/support/images.sh"
P=$BIN/civitas-preprocess

run "$P" --sample 3 --output town.h5 --pixels 64 --report town.html >said
whole_page town.html map 1
whole_page town.html lines 2

# says PAGE: all that was said of the maps, and as many rows of what was left out.
says() {
  python3 - "$1" <<'PYTHON' || fail "$1 does not say what was printed: $(cat said)"
import html, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
assert not re.search(r'\b(src|href)="(?!data:)', page), "asks for something"
told = open("said", encoding="utf-8").read().splitlines()
rows = re.search(r"<h2>Left out or mended</h2>.*?</section>", page, re.S).group()
rows = re.findall(r'<th scope="row">(\d+)</th><td>(.*?)</td>', rows)
printed = [line.split("left out: ")[-1].split(maxsplit=1) for line in told if re.match(r"(  |left out: )\d", line)]
assert [[count, html.unescape(reason)] for count, reason in rows] == printed and printed, (rows, printed)
words = html.unescape(page)
for line in told:
    if line.startswith(("read ", "grid: ", "burned: ")):
        assert "<li>" + line + "</li>" in words, line
kept, = [line for line in told if line.endswith(" to test")]
train, test = re.search(r"(\d+) to train, (\d+) to test", kept).groups()
assert f'<p class="subtitle">{kept}</p>' in page or f"{train} to train, {test} to test</p>" in page, kept
bars = [map(int, re.split(r" \+ ", bar)) for bar in re.findall(r'<span class="value">(.*?)</span>', page)]
assert [sum(split) for split in zip(*bars)] == [int(train), int(test)], kept
PYTHON
}
says town.html
for words in 'Tiles of sample.gpkg' 'EPSG:2056' 'free of rights' '250 m x 250 m every 250 m, 64 x 64 pixels' \
  'src="data:image/png;base64,iVBOR' '--min-road 0.02' 'north is up'; do
  grep -qF -- "$words" town.html || fail "the page does not say '$words'"
done

# The same page, whatever the number of ranks.
mkdir 1 2
for n in 1 2; do
  (cd $n && ranks $n "$P" ../sample.gpkg --output t.h5 --pixels 64 --report t.html >/dev/null)
  cmp 1/t.html $n/t.html || fail "the page of $n ranks differs from that of one"
done

# Images have classes in the place of ground.
make_images
run "$P" --images images --output images.h5 --pixels 16 --test-share 0.3 --report images.html >said 2>&1
whole_page images.html bar 2
says images.html
grep -q '<span class="label">dog</span>' images.html || fail 'no bar of a class'
! grep -q '<svg class="map"' images.html || fail 'a map of images'

# Where it may not be written nothing is.
cp town.html before.html
refuses 2 'town.html exists already. Hint: --overwrite' "$P" sample.gpkg --output new.h5 --report town.html
refuses 2 '--output new.h5 and --report ./new.h5 are the same file' "$P" sample.gpkg --output new.h5 --report ./new.h5
refuses 2 'sample.gpkg, which is read' "$P" sample.gpkg --output new.h5 --report sample.gpkg --overwrite
refuses 2 'would be written into --images images, which is read' "$P" --images images --output new.h5 \
  --report images/cat/1.png --overwrite
refuses 2 'there is no folder' "$P" sample.gpkg --output new.h5 --report none/new.html
cmp town.html before.html || fail 'a refused command has changed the page'
# Of a map of which no tile is kept it says why, the same for all numbers of ranks, and there is no store.
refuses 1 'no tile has' "$P" sample.gpkg --output new.h5 --pixels 64 --report none.html --min-building 0.99
grep -q '^wrote none.html$' said || fail 'a page that nobody was told of'
whole_page none.html map 1
grep -q '>tiles of less than 0.99 buildings</td>' none.html || fail 'the page does not say why no tile is kept'
cp none.html none.1.html
rc=0
mpirun --quiet --oversubscribe -n 2 "$P" sample.gpkg --output new.h5 --pixels 64 --report none.html \
  --min-building 0.99 --overwrite >said 2>&1 || rc=$?
[ $rc = 1 ] || fail "two ranks end with $rc: $(cat said)"
same() { grep -v '<th scope="row">command' "$1"; }
cmp <(same none.html) <(same none.1.html) || fail 'two ranks write another page'
[ ! -e new.h5 ] && [ -z "$(find . -name '*.part*')" ] || fail "left behind: $(ls)"
run "$P" sample.gpkg --output town.h5 --pixels 32 --report town.html --overwrite >said
says town.html
! cmp -s town.html before.html || fail 'the page was not replaced'
