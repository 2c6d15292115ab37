#!/usr/bin/env bash
# Follows docs/adding-an-op.md: takes the two files out of the page, builds them into the generator and the case runner, regenerates in a
# copy, and checks that the op has a function in C++ and JavaScript, a type and a reference entry, and that its cases pass.
#
#   adding_an_op.sh [BUILD_DIR]      default: build/release, built before. Nothing in the source tree is changed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

fail() { echo "adding_an_op: $*" >&2; exit 1; }

# The fenced block that follows "<!-- file: NAME -->".
block() {
  awk -v marker="<!-- file: $1 -->" '
    $0 == marker { found = 1; next }
    found && /^```/ { if (inside) exit; inside = 1; next }
    inside { print }' "$root/docs/adding-an-op.md"
}
files=$(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$root/docs/adding-an-op.md")
[ "$(wc -l <<<"$files")" = 2 ] || fail "the page should add exactly two files, it adds: $files"
for file in $files; do
  [ ! -e "$root/$file" ] || fail "$file exists already: the page needs another example"
  mkdir -p "$copy/$(dirname "$file")"
  block "$file" >"$copy/$file"
  [ -s "$copy/$file" ] || fail "the page has no block for $file"
done
source=$(grep '^src/' <<<"$files")
op=$(basename "$(grep '^tests/cases/' <<<"$files")" .json)

# What the page touches must look as the real tree does, but for the new files.
for file in include/tessera/ops.h src/ops/ops_api.cc js/generated/ops.mjs js/generated/ops.d.ts docs/ops.md; do
  mkdir -p "$copy/$(dirname "$file")"
  cp "$root/$file" "$copy/$file"
done

# The new source is compiled as its neighbours are, and linked with the objects that the build has already made: what CMake would do
# after adding the file, without building everything a second time.
compile=$(python3 - "$build/compile_commands.json" "$copy" "$source" <<'PY'
import json, shlex, sys
commands, copy, source = sys.argv[1:]
for entry in json.load(open(commands)):
    if entry["file"].endswith("/src/ops/elementwise_activation.cc"):
        args = shlex.split(entry["command"])
        args[args.index("-o") + 1] = copy + "/new.o"
        args = [copy + "/" + source if a == entry["file"] else a for a in args]
        # "ops/<file>" is found beside the other sources, so the copy's src goes first.
        print("cd", shlex.quote(entry["directory"]), "&&", shlex.join(args[:-1] + ["-I" + copy + "/src", args[-1]]))
        break
else:
    sys.exit("no compile command for src/ops/elementwise_activation.cc")
PY
)
bash -c "$compile" || fail "$source does not compile"

link() {  # link TARGET: the program with the new object in it
  local command
  command=$(cd "$build" && ninja -t commands "$1" | tail -1)
  # ninja wraps the command as ": && <link> && :"; the output is renamed and the object added
  command=${command//-o bin\/$1/-o $copy/$1 $copy/new.o}
  grep -q "$copy/new.o" <<<"$command" || fail "cannot see how $1 is linked"
  (cd "$build" && bash -c "$command") || fail "$1 does not link"
}
link tessera_gen
link tessera_cases

if "$copy/tessera_gen" --check "$copy" 2>/dev/null; then fail "--check does not notice the new op"; fi
"$copy/tessera_gen" --out "$copy"
"$copy/tessera_gen" --check "$copy" || fail "the files just written differ"
expect() { grep -qF "$2" "$copy/$1" || fail "$1 has no '$2'"; }
expect include/tessera/ops.h "Tensor $op(const Tensor& x);"
expect src/ops/ops_api.cc "Tensor $op(const Tensor& x) {"
expect js/generated/ops.mjs "export function $op(x)"
expect js/generated/ops.d.ts "export declare function $op(x: Operand): Tensor;"
expect docs/ops.md "### $op"
if command -v node >/dev/null; then node --check "$copy/js/generated/ops.mjs" || fail "ops.mjs is not JavaScript"; fi
printf '#include "tessera/ops.h"\ntsr::Tensor f(const tsr::Tensor& x) { return tsr::%s(x); }\n' "$op" >"$copy/use.cc"
"${CXX:-c++}" -std=c++20 -fsyntax-only -I "$copy/include" -I "$root/include" "$copy/use.cc" || fail "the C++ function cannot be called"

devices=cpu
if "$copy/tessera_cases" --dir "$copy/tests/cases" --only "$op" gl >/dev/null 2>&1; then devices="cpu gl"; fi
# shellcheck disable=SC2086
"$copy/tessera_cases" --dir "$copy/tests/cases" --only "$op" $devices || fail "the cases of $op do not pass"
echo "adding_an_op: $op works (devices: $devices)"
