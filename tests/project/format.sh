# Every C++ file is as clang-format (version 14, the repository's .clang-format) leaves it.
format=$(command -v clang-format-14) || fail 'no clang-format-14. Hint: bash jobs/setup.sh --tests'

printf 'int   main( ){}\n' >ugly.cpp
refuses 1 'code should be clang-formatted' \
  "$format" --style="file:$ROOT/.clang-format" --dry-run -Werror ugly.cpp

cd "$ROOT"
find include src preprocess tests -name '*.[ch]pp' -print0 |
  xargs -0 -n 20 -P 2 "$format" --dry-run -Werror || fail 'run clang-format-14 -i on these files'
