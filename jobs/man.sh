#!/usr/bin/env bash
# Manual pages of the programs and of each command, made by help2man of what `--help` says. `cmake --install` calls it
# where help2man is installed.
#
#   bash jobs/man.sh BIN FOLDER     from the programs in BIN into FOLDER
set -euo pipefail
[ $# = 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
bin=$1 folder=$2
[ -x "$bin/civitas" ] || { echo "man: $bin has no program civitas. Hint: build it first" >&2; exit 1; }
command -v help2man >/dev/null || { echo 'man: help2man is not installed. Hint: apt-get install help2man' >&2; exit 1; }

# Lines "page word... | what it does": programs, and the commands of civitas as its help lists them.
pages() {
  echo 'civitas | learn to draw city plans'
  "$bin/civitas" --help | sed -n 's/^  civitas \([a-z]*\)  *\(.*\)/civitas-\1 \1 | \2/p'
  [ ! -x "$bin/civitas-preprocess" ] || echo 'civitas-preprocess | make a store of tiles of maps or images'
  [ ! -x "$bin/civitas-vectorize" ] || echo 'civitas-vectorize | make maps of plans'
}

# common NAME OTHER...: what help does not tell: how NAME is written, and what all pages have in common.
common() {
  local refer='' other
  printf '%s\n' '[SYNOPSIS]' ".B $1" '[\fIOPTION\fR]...'
  shift
  for other in "$@"; do refer+=", .BR $other (1)"; done
  printf '%s\n' '[EXIT STATUS]' '.TP' '0' 'Done.' '.TP' '1' 'An error; its cause is told.' \
    '.TP' '2' 'The command line is wrong; nothing was done.' \
    '.TP' '75' 'Stopped as it was asked to, with what was done saved: the same command goes on.' \
    '[SEE ALSO]'
  printf '%s\n' "${refer#, }" | sed 's/, /,\n/g'
}

mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$(pages)
version=$("$bin/civitas" --version | head -n 1)
while IFS='|' read -r words what; do
  read -ra words <<<"$words"
  page=${words[0]} command=${words[*]:1}
  program=$page
  [ -z "$command" ] || program=civitas
  mapfile -t others < <(cut -d ' ' -f 1 <<<"$list" | grep -vx "$page")
  usage="$program${command:+ $command}"
  [ "$page" != civitas ] || usage='civitas \fICOMMAND\fR'
  common "$usage" "${others[@]}" >"$work/common"
  help2man --no-info --section 1 --name "${what# }" --version-string "$version" --include "$work/common" \
    --help-option "${command:+$command }--help" "$bin/$program" |
    sed "s/^\.TH [^ ]*/.TH ${page^^}/; /^\.SH NAME/{n;s/.* \\\\- /$page \\\\- /}" >"$work/page"
  mv "$work/page" "$folder/$page.1"
done <<<"$list"
