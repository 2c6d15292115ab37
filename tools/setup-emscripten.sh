#!/usr/bin/env bash
# Gives Debian 12 a current emcc: Debian 13's emscripten 3.1.69 in a private prefix.
#   usage (root): tools/setup-emscripten.sh [PREFIX=/opt/emscripten]     then: export PATH=PREFIX/bin:$PATH
# * an emcc >= 3.1.61 in PATH (emsdk's, say): does nothing.
# * Debian >= 13: apt-get install emscripten (and the acorn link that a non-Debian node needs).
# * Debian 12: clang-19, lld-19, llvm-19 from bookworm itself; emscripten (arch all), binaryen and acorn from
#   trixie's .debs, unpacked and not installed; binaryen runs on trixie's glibc through that glibc's own loader.
#   Nothing of the system is upgraded, and the system's apt sources are not changed.
set -euo pipefail
PREFIX=${1:-/opt/emscripten}
export DEBIAN_FRONTEND=noninteractive
t0=$SECONDS; say() { echo "[setup-emscripten $((SECONDS-t0))s] $*"; }
ok_version() { local v; v=$("$1" -dumpversion 2>/dev/null | grep -oE '^[0-9]+\.[0-9]+\.[0-9]+') || return 1
  [ "$(printf '%s\n' 3.1.61 "$v" | sort -V | head -1)" = 3.1.61 ] && say "$1 is emscripten $v"; }

if command -v emcc >/dev/null && ok_version "$(command -v emcc)"; then exit 0; fi
if [ -x "$PREFIX/bin/emcc" ] && ok_version "$PREFIX/bin/emcc"; then exit 0; fi

apt-get update -q
# the archive that this machine's own apt uses for the release it runs
MIRROR=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" { sub("/$", "", $1); print $1; exit }')}
command -v node >/dev/null || apt-get install -y -q --no-install-recommends nodejs
. /etc/os-release
if [ "${VERSION_ID:-0}" -ge 13 ] 2>/dev/null; then
  apt-get install -y -q --no-install-recommends emscripten
  # emscripten imports 'acorn' as an ES module from /usr/share/nodejs; Debian's nodejs package has the link that any node
  # needs to find it there, a nodejs from elsewhere has not
  [ -e /usr/share/node_modules ] || ln -sfn /usr/share/nodejs /usr/share/emscripten/node_modules
  ok_version emcc; exit
fi

apt-get install -y -q --no-install-recommends clang-19 lld-19 llvm-19 python3

# 1. an apt of its own, which knows only trixie
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
mkdir -p "$W"/state/lists/partial "$W"/cache/archives/partial "$W"/pref "$W"/debs; : > "$W/status"
echo "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $MIRROR trixie main" > "$W/sources.list"
cat > "$W/apt.conf" <<S
Dir::State "$W/state"; Dir::State::status "$W/status"; Dir::Cache "$W/cache";
Dir::Etc::sourcelist "$W/sources.list"; Dir::Etc::sourceparts "-"; Dir::Etc::preferencesparts "$W/pref"; Dir::Etc::preferences "-";
APT::Sandbox::User "root"; Acquire::Languages "none"; Acquire::Retries "3";
S
(export APT_CONFIG=$W/apt.conf; apt-get update -q; cd "$W/debs"
 apt-get download -q emscripten binaryen libc6 libstdc++6 libgcc-s1 node-acorn)
say "downloaded $(du -sh "$W/debs" | cut -f1)"

# 2. unpack: without the PIC and wasm-worker copies of the system libraries, the LTO ones (443 MB more) only with WITH_LTO=1,
#    and without the tests. The cache is frozen: what is left out here can't be linked, and nothing is ever built at link time.
LTO=(--exclude='*/wasm32-emscripten/lto'); [ "${WITH_LTO:-0}" = 1 ] && LTO=()
N=$PREFIX.new; rm -rf "$N"; mkdir -p "$N"/{emscripten,bin,binaryen/bin,binaryen/real,glibc}
from() { dpkg-deb --fsys-tarfile "$W"/debs/"$1"_*.deb; }
from emscripten | tar -x -C "$N/emscripten" --strip-components=4 \
  "${LTO[@]}" --exclude='*/wasm32-emscripten/lto-pic' --exclude='*/wasm32-emscripten/pic' \
  --exclude='*-ww*.a' --exclude='*/emscripten/test' --exclude='*/emscripten/docs' ./usr/share/emscripten
from binaryen | tar -x -C "$N/binaryen/real" --strip-components=2 ./usr/bin ./usr/lib
for d in libc6 libstdc++6 libgcc-s1; do
  from $d | tar -x -C "$N/glibc" --strip-components=4 --wildcards './usr/lib/x86_64-linux-gnu/*.so*'; done
from node-acorn | tar -x -C "$W" ./usr/share/nodejs/acorn
mkdir -p "$N/emscripten/node_modules"; cp -rL "$W/usr/share/nodejs/acorn" "$N/emscripten/node_modules/acorn"

# 3. binaryen's programs, each run by trixie's own ld.so with trixie's libraries
cat > "$N/binaryen/run" <<S
#!/bin/sh
exec $PREFIX/glibc/ld-linux-x86-64.so.2 --library-path $PREFIX/glibc:$PREFIX/binaryen/real/lib/x86_64-linux-gnu --argv0 "\$0" $PREFIX/binaryen/real/bin/"\${0##*/}" "\$@"
S
chmod 755 "$N/binaryen/run"
for b in "$N"/binaryen/real/bin/*; do ln -s ../run "$N/binaryen/bin/${b##*/}"; done

# 4. emscripten's config and the commands
cat > "$N/emscripten/.emscripten" <<S
LLVM_ROOT = '/usr/bin'
LLVM_ADD_VERSION = '19'
CLANG_ADD_VERSION = '19'
BINARYEN_ROOT = '$PREFIX/binaryen'
NODE_JS = '$(command -v node)'
FROZEN_CACHE = True
S
for c in emcc em++ emar emranlib emnm emcmake emconfigure emmake embuilder emrun emsize emstrip emsymbolizer em-config; do
  printf '#!/bin/sh\nexport EMSDK_PYTHON="${EMSDK_PYTHON:-/usr/bin/python3}"\nexec %s/emscripten/%s "$@"\n' "$PREFIX" $c > "$N/bin/$c"; chmod 755 "$N/bin/$c"; done
rm -rf "$PREFIX"; mv "$N" "$PREFIX"

# 5. prove it
printf '#include <cstdio>\n#include <span>\n#include <ranges>\n#include <vector>\nint main(){std::vector<int> v{1,2,3};int s=0;for(int x:std::span(v)|std::views::transform([](int i){return i*i;}))s+=x;std::printf("sum %%d\\n",s);}\n' > "$W/t.cc"
"$PREFIX/bin/em++" -std=c++20 -O3 "$W/t.cc" -o "$W/t.js" && [ "$(node "$W/t.js")" = 'sum 14' ]
ok_version "$PREFIX/bin/emcc"; say "done: $PREFIX, $(du -sh "$PREFIX" | cut -f1)"
