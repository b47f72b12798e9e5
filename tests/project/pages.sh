# README.md and the pages of the folders: every link leads somewhere, every file and option that they
# name exists, and they are short enough to be read.
# shellcheck disable=SC2016
cd "$ROOT"
mapfile -t pages < <(find README.md jobs preprocess src tests -name README.md | sort)
[ ${#pages[@]} -ge 7 ] || fail "only ${#pages[@]} pages found"

# The anchor that forges make of each heading.
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed 's/^#* //' | tr '[:upper:]' '[:lower:]' |
    sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# check_links PAGE: prints relative links that lead nowhere, as `](path#heading)`.
check_links() {
  local page=$1 link file
  while read -r link; do
    case $link in http*) continue ;; esac
    file=$(dirname "$page")/${link%%#*}
    [[ $link == \#* ]] && file=$page
    if [ ! -e "$file" ]; then
      echo "$page: no file for the link $link"
    elif [[ $link == *\#* ]] && ! anchors "$file" | grep -xF -- "${link#*#}" >/dev/null; then
      echo "$page: no heading for the link $link"
    fi
  done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//')
}

# check_names PAGE: prints paths of the repository, and names of sources, that do not exist.
check_names() {
  local page=$1 name
  while read -r name; do
    [ -e "$name" ] || [ -e "$(dirname "$page")/$name" ] || echo "$page: there is no $name"
  done < <(grep -oE '(\.\./)*[A-Za-z0-9_./-]*[A-Za-z0-9_/]' "$page" | sort -u |
    grep -E '^(src|include|tests|jobs|preprocess|\.ci)/[A-Za-z]|\.(cpp|hpp|sh|sbatch|cmake)$' || true)
}

# check_size PAGE LINES: prints whether it has more lines, and where more than 120 columns. In pages
# other than README.md rows of tables and indented lines may be wider: they cannot be broken.
check_size() {
  LC_ALL=C.UTF-8 awk -v most="$2" '
    length > 120 && (FILENAME == "README.md" || !/^(\||    )/) { print FILENAME ":" FNR ": more than 120 columns" }
    END { if (FNR > most) print FILENAME ": more than " most " lines" }' "$1"
}

# check_options PAGE: prints options in the first column of a table that no program has.
help_of() {
  local program
  for program in 'civitas train' 'civitas compare' 'civitas plan' 'civitas generate' 'civitas evaluate' \
    'civitas export' 'civitas classify' 'civitas import' 'civitas-preprocess' 'civitas-vectorize'; do
    $program --help
  done
}
check_options() {
  local option
  while read -r option; do
    grep -qE -- "^  $option( |\$)" "$WORK/help" || echo "$1: no program has the option $option"
  done < <(awk -F'|' '/^\| `--/ { print $2 }' "$1" | grep -oE -- '`--[a-z-]+' | tr -d '`' | sort -u)
}

help_of >"$WORK/help"
# check PAGE LINES
check() { check_links "$1"; check_names "$1"; check_size "$1" "$2"; check_options "$1"; }

# finds MESSAGE LINE: a page with this line is refused.
mkdir "$WORK/page"
finds() {
  printf '# One heading\n\n%s\n' "$2" >"$WORK/page/README.md"
  check "$WORK/page/README.md" 300 | grep -F -- "$1" >/dev/null || fail "not found: $2"
}
finds 'no file for the link gone.md' 'See [this](gone.md).'
finds 'no heading for the link #other' 'See [this](#other).'
finds 'there is no src/gone' 'Look at `src/gone`.'
finds 'there is no gone.hpp' 'Look at `gone.hpp`.'
finds 'no program has the option --gone' '| `--steps`, `--gone` | | |'
finds 'more than 120 columns' "$(printf '%0121d' 0)"
finds 'more than 300 lines' "$(seq 300)"
printf '# One heading\n[here](#one-heading) `tests/project/pages.sh`\n| `--steps` |\n' >"$WORK/page/README.md"
check "$WORK/page/README.md" 3 >"$WORK/wrong"
[ ! -s "$WORK/wrong" ] || fail "a page without faults is refused: $(cat "$WORK/wrong")"

for page in "${pages[@]}"; do
  check "$page" "$([ "$page" = README.md ] && echo 120 || echo 300)"
  [ "$page" = README.md ] || grep -qF "]($page)" README.md || echo "README.md does not lead to $page"
done >"$WORK/wrong"
[ ! -s "$WORK/wrong" ] || fail "$(cat "$WORK/wrong")"
