# Completion of commands and options for bash, as `--help` of each program tells them: what is completed is what the
# program takes. Source it, or install it where bash-completion looks (`cmake --install` does).
#
#   source jobs/completion.bash

# _civitas_help PROGRAM [COMMAND]: its help, asked for once in a shell.
declare -gA _civitas_asked=()
_civitas_help() {
  local key="$*"
  [ -n "${_civitas_asked[$key]-}" ] || _civitas_asked[$key]=$("$@" --help 2>/dev/null </dev/null)
  _civitas_said=${_civitas_asked[$key]}
}

_civitas() {
  local program=$1 word=$2 before=$3 command='' _civitas_said options
  COMPREPLY=()
  if [ "${program##*/}" = civitas ]; then
    if [ "$COMP_CWORD" = 1 ]; then
      _civitas_help "$program"
      options=$(sed -n 's/^  civitas \([a-z]*\) .*/\1/p' <<<"$_civitas_said")
      mapfile -t COMPREPLY < <(compgen -W "$options --help --version" -- "$word")
      return
    fi
    command=${COMP_WORDS[1]}
  fi
  _civitas_help "$program" ${command:+"$command"}
  # After an option with a value comes a file, unless the word says otherwise.
  if [[ $word != -* ]] || grep -q -e "^  $before [A-Z]" <<<"$_civitas_said"; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  options=$(sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' <<<"$_civitas_said")
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}
complete -o filenames -F _civitas civitas civitas-preprocess civitas-vectorize
