#!/usr/bin/env bash
# Checks the form of the sources; changes nothing.
#
#   lint.sh format      clang-format, and no file with two concepts in it
#   lint.sh tidy BUILD  clang-tidy by the compile commands of BUILD; files that
#                       were clean and have not changed are not checked again
#   lint.sh fix         lets clang-format write
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly most_lines=400

existing() {
  git ls-files -co --exclude-standard -- "$@" |
    while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}

sources() { existing '*.cc' '*.h' '*.c'; }

case ${1:-} in
  format)
    sources | xargs -r clang-format-16 --dry-run -Werror
    long=$({ sources; existing '*.py' '*.mjs' '*.ts' '*.tsx' '*.css'; } | xargs -r wc -l |
      awk -v most=$most_lines '$2 != "total" && $1 > most')
    if [[ -n $long ]]; then
      echo "longer than $most_lines lines, so they hold two concepts:"
      echo "$long"
      exit 1
    fi
    for script in $(git ls-files -co --exclude-standard -- '*.sh'); do
      bash -n "$script"
    done
    echo "$(sources | wc -l) files are in form" ;;
  tidy) python3 integration/scripts/tidy.py "$2" ;;
  fix) sources | xargs -r clang-format-16 -i ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
