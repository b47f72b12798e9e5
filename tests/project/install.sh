# `cmake --install` makes a folder with the programs, which run from there, the job scripts and README.
# BUILD: the build folder.
cmake --install "$BUILD" --prefix prefix >log || fail "$(cat log)"
version=$(sed -n 's/^project(civitas VERSION \([0-9.]*\).*/\1/p' "$ROOT/CMakeLists.txt")
for program in prefix/bin/*; do
  [ "$(cd / && "$WORK/$program" --version)" = "$(basename "$program") $version" ] ||
    fail "$program: not version $version"
done
[ -x prefix/bin/civitas ] || fail 'no civitas'
for file in share/doc/civitas/README.md share/bash-completion/completions/civitas \
  share/civitas/jobs/{workstation.sh,train.sbatch,generate.sbatch,preprocess.sbatch}; do
  [ -s "prefix/$file" ] || fail "no $file"
done

# The job scripts find a program that is on the PATH.
mkdir elsewhere
printf '#!/bin/sh\nexit 3\n' >elsewhere/srun
chmod +x elsewhere/srun
rc=0
env -u CIVITAS_BIN PATH="$WORK/prefix/bin:$WORK/elsewhere:$PATH" SLURM_SUBMIT_DIR="$WORK" \
  bash prefix/share/civitas/jobs/preprocess.sbatch map.gpkg --output tiles.h5 >said 2>&1 || rc=$?
[ "$rc" = 3 ] || fail "preprocess.sbatch did not start the installed program: $(cat said)"

# A build without a preset is optimised, and no warning of another compiler ends it.
cmake -S "$ROOT" -B plain -DCIVITAS_TESTS=OFF -DTORCH_ROOT="$TORCH_ROOT" >log 2>&1 || fail "$(tail -n 20 log)"
grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' plain/CMakeCache.txt || fail 'not a release'
grep -q '^CIVITAS_WERROR:BOOL=OFF$' plain/CMakeCache.txt || fail 'warnings are errors'
