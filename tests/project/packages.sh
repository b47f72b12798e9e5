# The recipes of containers and Spack name files, options and libraries that the project has.
cd "$ROOT"
definition=jobs/civitas.def
section() { sed -n "/^%$1\$/,/^%/p" "$definition" | sed '/^%/d; /^ *$/d'; }
for name in files post test runscript help; do [ -n "$(section $name)" ] || fail "$definition has no %$name"; done
while read -r from to; do
  [ -e "$from" ] || fail "$definition copies $from, which is not there"
  [ "$to" = "/opt/civitas/$from" ] || fail "$definition copies $from to $to"
done < <(section files)
for file in CMakeLists.txt CMakePresets.json include jobs preprocess src; do
  section files | grep -q "^ *$file " || fail "$definition leaves $file out"
done
for name in post test runscript; do
  section $name | shellcheck -s sh -e SC2148 - || fail "$definition, %$name: see above"
done
if python3 -c 'import spython' 2>/dev/null; then
  spython recipe --parser singularity "$definition" >"$WORK/said" || fail "$definition is none to spython"
  grep -q '^FROM debian:bookworm ' "$WORK/said" || fail "$definition is another image to spython"
else
  echo 'no spython: the definition for Apptainer was not read by another program'
fi

# Each library that CMake looks for is one of Spack's, each option that is set one of CMake's.
python3 - <<'PYTHON' || fail 'see above'
import ast, pathlib, re, sys
recipe = pathlib.Path("jobs/spack/spack_repo/civitas/packages/civitas/package.py")
tree = ast.parse(recipe.read_text())
calls = [c for c in ast.walk(tree) if isinstance(c, ast.Call)]
def first(*functions):
    return {c.args[0].value for c in calls
            if getattr(c.func, "id", getattr(c.func, "attr", "")) in functions and isinstance(c.args[0], ast.Constant)}
named = {re.split("[@+~ ]", word)[0] for word in first("depends_on")}
lists = [pathlib.Path(name).read_text() for name in
         ("CMakeLists.txt", "src/libraries.cmake", "src/CMakeLists.txt", "preprocess/CMakeLists.txt")]
found = {name.lower() for text in lists for name in re.findall(r"find_package\((\w+)", text)}
found |= {"random123", "xxhash", "torch", "nccl"}
other = {"png": "libpng", "zlib": "zlib-api", "torch": "py-torch", "cudatoolkit": "cuda"}
wanted = {other.get(name, name.replace("_", "-")) for name in found} | {"c", "cxx", "cmake"}
wrong = [f"Spack: {name} is not named" for name in wanted - named]
wrong += [f"Spack: {name} is not looked for" for name in named - wanted]
wrong += [f"Spack: CMake has no {name}" for name in first("define", "define_from_variant")
          if not any(re.search(rf"(option|set)\({name} ", text) for text in lists)]
parents = [c for c in ast.walk(tree) if isinstance(c, ast.Subscript) and getattr(c.value, "attr", "") == "parents"]
if not (recipe.resolve().parents[parents[0].slice.value] / "CMakeLists.txt").exists():
    wrong.append("Spack: another clone is built")
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON
if command -v spack >/dev/null; then
  spack -c "repos:civitas:$ROOT/jobs/spack/spack_repo/civitas" info civitas >said 2>&1 || fail "$(cat said)"
else
  echo 'no spack: its recipe was read, not tried'
fi
