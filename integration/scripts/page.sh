#!/usr/bin/env bash
# Checks the page: its types, the tests of its logic, and that what is shipped
# in integration/page/dist is, byte for byte, what its sources give.
#
# A dist that is stale is left as the sources give it, to be committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly page=integration/page shipped=(page.html.gz csp.txt)
with_node() { integration/scripts/with-node.sh "$@"; }

with_node --npm-ci "$page"
with_node npm --prefix "$page" run check
with_node npm --prefix "$page" test

kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
for file in "${shipped[@]}"; do cp "$page/dist/$file" "$kept/"; done
with_node npm --prefix "$page" run build
stale=
for file in "${shipped[@]}"; do
  cmp "$kept/$file" "$page/dist/$file" || stale=yes
done
if [[ -n $stale ]]; then
  echo "$page/dist was stale. It is now what the sources give: commit it."
  exit 1
fi
echo "$page/dist is what the sources give"
