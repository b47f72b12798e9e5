# Nothing that shellcheck complains of in any script.
command -v shellcheck >/dev/null || fail 'no shellcheck. Hint: bash jobs/setup.sh --tests'
# shellcheck disable=SC2016
printf '#!/bin/bash\necho $1\n' >bad.sh
refuses 1 'SC2086' shellcheck bad.sh

cd "$ROOT"
mapfile -t programs < <(find jobs tests .ci -type f \( -name '*.sbatch' -o -path '.ci/*' -o \
  -path 'jobs/*.sh' -o -path 'tests/*.sh' \) -exec awk 'FNR == 1 && /^#!/ { print FILENAME }' {} +)
[ ${#programs[@]} -ge 5 ] || fail "only ${#programs[@]} scripts found"
shellcheck -x -e SC1090 "${programs[@]}" || fail 'see above'

# Script tests are sourced by support/script.sh, which declares their helpers and variables. Lists
# of widths have commas, and `a && b || fail` is how they check.
mapfile -t tests < <(find tests -name '*.sh' -exec awk 'FNR == 1 && !/^#!/ { print FILENAME }' {} +)
shellcheck -s bash -e SC2154,SC2164,SC2317,SC2054,SC2012,SC2015 "${tests[@]}" jobs/completion.bash || fail 'see above'
