#!/usr/bin/env bash
# What was built gives the program the pinned names and needs only libc.
#
#   exports_test.sh EXPORTS_MAP LIBHEAPTALLY_SO LIBHEAPTALLY_A
set -euo pipefail
map=$1 shared=$2 archive=$3
failed=0

check_equal() {
  if ! difference=$(diff <(echo "$2") <(echo "$3")); then
    echo "FAILED: $1 (< pinned, > built):"
    echo "$difference"
    failed=1
  fi
}

pinned=$(sed -n 's/^ \+\([A-Za-z_][A-Za-z0-9_]*\);$/\1/p' "$map" | sort)
[[ $(wc -l <<<"$pinned") -gt 30 ]] || { echo "cannot read $map"; exit 1; }
check_equal "names of the shared library" "$pinned" \
  "$(nm -D --defined-only "$shared" | awk '{print $3}' | sort)"
check_equal "names of the archive" "$pinned" \
  "$(nm -g --defined-only "$archive" | awk 'NF == 3 {print $3}' | sort)"

allowed='^(libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|ld-linux-x86-64\.so\.2)$'
needed=$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if strangers=$(grep -vE "$allowed" <<<"$needed"); then
  echo "FAILED: the shared library needs $strangers"
  failed=1
fi

# A C program must be able to run: no name of the C++ library but weak ones.
if cxx=$(nm -D --undefined-only "$shared" | awk '$1 != "w" {print $2}' |
         grep -E '^(_Z|__cxa_(throw|begin|end|alloc)|__gxx)'); then
  echo "FAILED: the shared library cannot do without $cxx"
  failed=1
fi
if ! readelf -d "$shared" | grep -q 'FLAGS.*NOW' ||
   ! readelf -d "$shared" | grep -q NODELETE; then
  echo "FAILED: the shared library must be bound at once and stay loaded"
  failed=1
fi
# Its thread storage is part of every thread from the start.
if readelf -rW "$shared" | grep -qE 'R_X86_64_(DTPMOD64|TLSDESC)'; then
  echo "FAILED: the shared library asks for thread storage at run time"
  failed=1
fi
[[ $failed == 0 ]] && echo "$(wc -l <<<"$pinned") names, needs: $(echo $needed)"
exit $failed
