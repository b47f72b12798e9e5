# Pages as browsers see them; sourced by script tests.

# whole_page PAGE CLASS LEAST: the page is XML but for its first line, has at least so many pictures of a class, none
# of them empty; and a browser, where there is one, shows as many, asks nobody and complains of nothing.
whole_page() {
  local page=$1 class=$2 least=$3 drawn browser
  drawn=$(python3 -c 'import sys, xml.etree.ElementTree as tree
words = open(sys.argv[1], encoding="utf-8").read()
root = tree.fromstring(words[words.index("\n"):])
drawn = [e for e in root.iter() if e.tag.endswith("svg") and e.get("class") == sys.argv[2]]
assert len(drawn) >= int(sys.argv[3]) and all(len(one) for one in drawn), len(drawn)
print(len(drawn))' "$page" "$class" "$least") || fail "$page is broken"
  browser=$(command -v chromium-headless-shell || command -v chromium || true)
  if [ -z "$browser" ]; then
    echo "no chromium here: $page was not opened in a browser"
    return 0
  fi
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking \
    --user-data-dir="$WORK/profile" --enable-logging=stderr --log-net-log="$WORK/net.json" \
    --dump-dom "file://$WORK/$page" >dom 2>console || fail "no page: $(cat console)"
  [ "$(grep -o "<svg class=\"$class\"" dom | wc -l)" = "$drawn" ] || fail "a browser drops pictures of $page"
  ! grep -q CONSOLE console || fail "$(cat console)"
  # A whole browser asks its maker for news, whatever the page.
  [[ $browser == *headless-shell ]] || return 0
  ! grep -qE '"url":"(http|ws)' net.json || fail "asks for $(grep -oE '"url":"(http|ws)[^"]*' net.json)"
}
