#!/usr/bin/env bash
# Installs the Debian packages that are missing, and nothing else.
#
#   install-deps.sh GROUP...      groups: build, test, lint, page
#
# Asks dpkg first, so that a second run takes a moment and needs no network.
# Needs root or sudo only if something is missing. Servers that come with the
# test programs (redis, nginx) are neither started nor enabled.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config binutils libjemalloc-dev libabsl-dev
  libboost-dev libboost-stacktrace-dev libdw-dev libzstd-dev libxxhash-dev
  libcli11-dev nlohmann-json3-dev libiberty-dev liblzma-dev zlib1g-dev)
test=(libgtest-dev libgmock-dev libbenchmark-dev libjemalloc2 clang-16
  libclang-rt-16-dev git perl python3 sqlite3 nodejs redis-server redis-tools
  nginx-light curl procps llvm-16 lld mold dwz xz-utils libdebuginfod1
  valgrind heaptrack)
lint=(clang-format-16 clang-tidy-16 clang-16)
page=(chromium fonts-dejavu-core nodejs npm redis-server redis-tools)

missing() {
  local package
  for package in "$@"; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) echo "$package" ;;
    esac
  done
}

# A package's server must not run on the user's machine because of our tests.
forbid_services() {
  if [[ -e /usr/sbin/policy-rc.d ]]; then return; fi
  trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' | as_root tee /usr/sbin/policy-rc.d >/dev/null
  as_root chmod 755 /usr/sbin/policy-rc.d
}

leave_disabled() {
  local package=$1 service=${1%-light}
  [[ " $needed " == *" $package "* ]] || return 0
  if command -v systemctl >/dev/null; then
    as_root systemctl disable --quiet "$service" >/dev/null 2>&1 || true
  else
    as_root update-rc.d "$service" disable >/dev/null 2>&1 || true
  fi
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

packages=()
for group in "$@"; do
  case $group in
    build) packages+=("${build[@]}") ;;
    test) packages+=("${test[@]}") ;;
    lint) packages+=("${lint[@]}") ;;
    page) packages+=("${page[@]}") ;;
    *) echo "install-deps.sh: unknown group $group" >&2; exit 2 ;;
  esac
done
# A newer Node.js may have come from elsewhere, with an npm of its own; where
# Debian's is too old for the page, with-node.sh finds another.
elsewhere() {
  if ! command -v "$2" >/dev/null; then return; fi
  packages=("${packages[@]/%$1/libc6}")
}
elsewhere nodejs node
elsewhere npm npm

needed=$(missing "${packages[@]}" | sort -u | tr '\n' ' ')
if [[ -z $needed ]]; then
  echo "packages: all ${#packages[@]} are installed"
  exit 0
fi
echo "packages: installing $needed"
if ! command -v apt-get >/dev/null; then
  echo "install-deps.sh: no apt-get here; please install: $needed" >&2
  exit 2
fi
if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
  echo "install-deps.sh: needs root or sudo to install: $needed" >&2
  exit 2
fi

forbid_services
options=(-q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" update
# shellcheck disable=SC2086
as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install \
  --no-install-recommends $needed
leave_disabled redis-server
leave_disabled nginx-light
echo "packages: installed $needed"
