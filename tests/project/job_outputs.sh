# The scripts in jobs/ replace what they made themselves, and nothing else; told before any work.
mkdir mine programs
echo 'a map of mine' >mine/plans.gpkg
refuses 2 'mine holds other files. Hint: another FOLDER' bash "$ROOT/jobs/quickstart.sh" mine
[ "$(ls -A mine)" = plans.gpkg ] || fail "made: $(ls -A mine)"

for program in civitas civitas-vectorize civitas-preprocess; do
  printf '#!/bin/sh\necho "$*" >started\n' >programs/$program
done
printf '#!/bin/sh\nshift\nexec "$@"\n' >programs/srun
chmod +x programs/*
generate=(env PATH="$WORK/programs:$PATH" CIVITAS_BIN="$WORK/programs" SLURM_SUBMIT_DIR="$WORK"
          bash "$ROOT/jobs/generate.sbatch" --checkpoint run)
refuses 2 'mine/plans.gpkg exists already. Hint: --overwrite' "${generate[@]}" --output mine/plans.h5
[ ! -e started ] || fail 'generated before the map was looked at'
for again in "${generate[*]} --output mine/plans.h5 --overwrite" \
  "${generate[*]} --output mine/plans.h5 --overwrite=true" \
  "env SLURM_RESTART_COUNT=1 ${generate[*]} --output mine/plans.h5" \
  "env SLURM_RESTART_COUNT=1 ${generate[*]} --output mine/plans.h5 --overwrite=no" \
  "${generate[*]} --output other.h5"; do
  run $again >/dev/null
  [ -e started ] || fail "not generated: $again"
  rm started
done
for count in 0 1; do
  for said in --overwrite --overwrite=yes; do
    SLURM_RESTART_COUNT=$count PATH=$WORK/programs:$PATH CIVITAS_BIN=$WORK/programs SLURM_SUBMIT_DIR=$WORK \
      bash "$ROOT/jobs/preprocess.sbatch" map.gpkg --output t.h5 "$said"
    [ "$(grep -o -- --overwrite started | wc -l)" = 1 ] || fail "given to the program: $(cat started)"
    rm started
  done
done
[ "$(cat mine/plans.gpkg)" = 'a map of mine' ] || fail 'the map has changed'

# Half a libtorch is brought anew, in its place; a whole one stays.
mkdir -p tree/jobs tree/build/libtorch/torch/lib
cp "$ROOT/jobs/setup.sh" tree/jobs
printf '#!/bin/sh\necho install ok installed\n' >programs/dpkg-query
cat >programs/python3 <<'PIP'
#!/usr/bin/env bash
echo brought >>brought
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/torch/include/ATen" && touch "$2/torch/include/ATen/ATen.h"
PIP
chmod +x programs/*
for said in 'bringing libtorch' 'libtorch is in build/libtorch'; do
  env -u TORCH_ROOT PATH="$WORK/programs:$PATH" bash tree/jobs/setup.sh | grep "$said" >/dev/null ||
    fail "not: $said"
  [ "$(cd tree/build && find . -type f)" = ./libtorch/torch/include/ATen/ATen.h ] || fail "made: $(find tree/build)"
done
[ "$(wc -l <brought)" = 1 ] || fail 'a whole libtorch was brought again'
