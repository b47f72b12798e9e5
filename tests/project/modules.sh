# The picture of the modules in src/README.md is that of the CMake lists, and no module is forgotten
# in the table beside it.
# shellcheck disable=SC2016
mkdir page
printf '%s\n' 'function(civitas_module name)' 'civitas_module(a USES x) # civitas_module(no)' \
  'if(SO)' '  civitas_module(b NEEDS a USES y WITHOUT c.cpp)' 'else()' '  civitas_module(b NEEDS a USES y)' \
  'endif()' 'civitas_module(c' '  NEEDS a b)' 'civitas_module(d NEEDS a)' 'civitas_module(e NEEDS c d)' \
  'target_link_libraries(civitas PRIVATE civitas_c civitas_warnings)' \
  >page/CMakeLists.txt
CMAKE_LISTS=$WORK/page/CMakeLists.txt bash "$ROOT/tests/modules.sh" >drawn
for line in '  b --> a' '  c --> b' '  e --> c & d' '  civitas --> c' \
  '| `page/c` | a, b | - |' '| `page/b` | a | y |'; do
  grep -qxF -- "$line" drawn || fail "the modules are drawn without '$line': $(cat drawn)"
done
[ "$(grep -c -- '-->' drawn)" = 5 ] || fail "arrows that follow are drawn: $(cat drawn)"

bash "$ROOT/tests/modules.sh" >modules
awk '/<!-- modules: end/ { inside = 0 } inside; /<!-- modules: begin/ { inside = 1 }' "$ROOT/src/README.md" |
  diff - modules || fail 'src/README.md shows other modules. Hint: bash tests/modules.sh --write'
while read -r module; do
  grep -qF "| \`$module\` | " <(awk '/<!-- modules: end/ { after = 1 } after' "$ROOT/src/README.md") ||
    fail "src/README.md does not say what $module hides"
done < <(grep -oE '^\| `[a-z]+/[a-z0-9_]+`' modules | tr -d '|` ')
