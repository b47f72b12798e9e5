#!/usr/bin/env bash
# Draws the modules as the CMake lists declare them: a mermaid graph, and a table of what each may
# include. An arrow that follows from others is left out of the graph, never out of the table.
#
#   bash tests/modules.sh              prints both
#   bash tests/modules.sh --write      puts both into src/README.md, between its markers
#
# CMAKE_LISTS='FILE...' names other lists.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
read -ra lists <<<"${CMAKE_LISTS:-$root/src/CMakeLists.txt $root/preprocess/CMakeLists.txt}"
page=$root/src/README.md

# "module FOLDER NAME NEEDS USES" and "program FOLDER NAME NEEDS -", lists with commas, `-` for none.
declared() {
  local list
  for list in "${lists[@]}"; do
    sed 's/#.*//' "$list" | tr '\n' ' ' |
      grep -oE '\b(civitas_module|civitas_map_part|target_link_libraries)\([^)]*\)' | tr '()' '  ' |
      awk -v folder="$(basename "$(dirname "$list")")" '
        function add(list, word) { return list == "-" ? word : list "," word }
        function kept(word) { return word ~ /^civitas_/ && word != "civitas_warnings" }
        $1 == "target_link_libraries" {
          if ($2 !~ /^civitas(-[a-z]+)?$/) next
          needs = "-"
          for (i = 3; i <= NF; ++i) if (kept($i)) needs = add(needs, substr($i, 9))
          print "program", folder, $2, needs, "-"
          next
        }
        !seen[$2]++ {
          needs = uses = "-"
          part = ""
          for (i = 3; i <= NF; ++i) {
            if ($i ~ /^(NEEDS|USES|WITHOUT)$/) part = $i
            else if (part == "NEEDS") needs = add(needs, $i)
            else if (part == "USES") uses = add(uses, $i)
          }
          print "module", folder, $2, needs, uses
        }'
  done
}

drawn() {
  declared | awk '
    function reaches(from, to,   parts, n, i) {
      n = split(needs[from], parts, ",")
      for (i = 1; i <= n; ++i) if (parts[i] == to || reaches(parts[i], to)) return 1
      return 0
    }
    # Whether an arrow follows from another module that is needed.
    function follows(from, to,   parts, n, i) {
      n = split(needs[from], parts, ",")
      for (i = 1; i <= n; ++i) if (parts[i] != to && reaches(parts[i], to)) return 1
      return 0
    }
    function words(list) {
      gsub(/,/, ", ", list)
      return list == "" ? "-" : list
    }
    function list_of(field) { return field == "-" ? "" : field }
    { kind[NR] = $1; folder[NR] = $2; name[NR] = $3; needs[$3] = list_of($4); uses[NR] = list_of($5) }
    END {
      print "```mermaid"
      print "graph TD"
      for (i = 1; i <= NR; ++i) {
        if (folder[i] != folder[i - 1]) {
          if (i > 1) print "  end"
          print "  subgraph folder_" folder[i] "[" folder[i] "]"
        }
        print "    " name[i] (kind[i] == "program" ? "([" name[i] "])" : "")
      }
      print "  end"
      for (i = 1; i <= NR; ++i) {
        n = split(needs[name[i]], parts, ",")
        arrows = ""
        for (j = 1; j <= n; ++j)
          if (!follows(name[i], parts[j])) arrows = arrows (arrows == "" ? "" : " & ") parts[j]
        if (arrows != "") print "  " name[i] " --> " arrows
      }
      print "```"
      print ""
      print "| module | may include | libraries |"
      print "|---|---|---|"
      for (i = 1; i <= NR; ++i)
        if (kind[i] == "module")
          printf "| `%s/%s` | %s | %s |\n", folder[i], name[i], words(needs[name[i]]), words(uses[i])
    }'
}

case ${1:-} in
  '') drawn ;;
  --write)
    new=$(mktemp)
    trap 'rm -f "$new"' EXIT
    drawn >"$new"
    sed -i -e "/<!-- modules: begin/,/<!-- modules: end/{/<!-- modules:/!d}" \
      -e "/<!-- modules: begin/r $new" "$page"
    ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
