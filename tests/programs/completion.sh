# Completion for bash knows the commands, the options of each and files, and asks a program once.
. "$ROOT/jobs/completion.bash"
completed() { # WORD... : what the last of them becomes
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _civitas "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
}
expect() { # WANTED WORD...
  local wanted=$1 got
  shift
  got=$(completed "$@")
  [ "$got" = "$wanted" ] || fail "'$*' becomes '$got', not '$wanted'"
}
touch tiles.h5 town.ini
expect 'generate' civitas ge
expect 'classify compare' civitas c
expect '--grid' civitas generate --gr
expect '--checkpoint-every --checkpoint-minutes --checkpoint-mode' civitas train --checkpoint
expect 'tiles.h5' civitas train --tiles ti
expect 'town.ini' civitas train --config tow
expect 'tiles.h5' civitas inspect ti
expect '--tile-metres' civitas-preprocess --tile-
expect '--floors' civitas-vectorize --flo
expect '' civitas nothing --x
# All that --help tells is completed.
told=$(civitas train --help | grep -oE '^  --[a-z0-9-]+' | sort | xargs)
[ "$(completed civitas train --)" = "$told" ] || fail 'some options of train are not completed'
completed civitas train --ste >/dev/null
_civitas_help civitas train
civitas() { fail 'the program is asked again'; }
_civitas_help civitas train
[ -n "$_civitas_said" ] || fail 'what was asked is forgotten'
