# `cmake --install` makes a folder with the programs, which run from there, the job scripts and README.
# BUILD: the build folder.
cmake --install "$BUILD" --prefix prefix >log || fail "$(cat log)"
version=$(sed -n 's/^project(civitas VERSION \([0-9.]*\).*/\1/p' "$ROOT/CMakeLists.txt")
for program in prefix/bin/*; do
  (cd / && "$WORK/$program" --version) >said || fail "$program does not start: $(cat said)"
  [ "$(head -n 1 said)" = "$(basename "$program") $version" ] || fail "$program: not version $version"
  grep -Eq '^  HDF5 +1\.[0-9]+\.[0-9]+$' said || fail "$program does not name its HDF5: $(cat said)"
done
for component in MPI HDF5 libtorch GDAL CUDA NCCL 'instruction set'; do
  prefix/bin/civitas --version | grep -Eq "^  $component +[^ ]" || fail "civitas --version names no $component"
done
for program in prefix/bin/*; do
  $program --version | grep -Eqx "  GDAL +$(gdal-config --version)" || fail "$program names another GDAL"
done
# One after the other: what ends removes the folder that another would begin in (Open MPI 4.1, without mpirun).
prefix/bin/civitas --version >version
for command in train plan; do
  prefix/bin/civitas $command --version | cmp - version || fail "civitas $command --version"
done
[ -x prefix/bin/civitas ] || fail 'no civitas'
for file in share/doc/civitas/README.md share/bash-completion/completions/civitas \
  share/civitas/jobs/{workstation.sh,train.sbatch,generate.sbatch,preprocess.sbatch}; do
  [ -s "prefix/$file" ] || fail "no $file"
done

# A manual page for each program and command.
for page in civitas $(prefix/bin/civitas --help | sed -n 's/^  civitas \([a-z]*\) .*/civitas-\1/p') \
  civitas-preprocess civitas-vectorize; do
  man=prefix/share/man/man1/$page.1
  [ -s "$man" ] || fail "no $man. Hint: bash jobs/setup.sh --tests brings help2man"
  grep -q "^$page \\\\- [a-z]" "$man" || fail "$man does not say what $page is"
  grep -A1 '^\.SH SYNOPSIS$' "$man" | grep -q '^\.B civitas' || fail "$man has no synopsis"
done
grep -q '^\\fB\\-\\-micro\\-batch\\fR N$' prefix/share/man/man1/civitas-train.1 || fail 'an option is missing'
if command -v mandoc >/dev/null; then
  said=$(mandoc -T lint -W error prefix/share/man/man1/*.1) || fail "$said"
else
  echo 'no mandoc: whether manual pages are well formed was not looked at'
fi
refuses 1 'no program civitas' bash "$ROOT/jobs/man.sh" prefix elsewhere
refuses 1 'help2man is not installed' env PATH=/nowhere "$(command -v bash)" \
  "$ROOT/jobs/man.sh" prefix/bin elsewhere

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
