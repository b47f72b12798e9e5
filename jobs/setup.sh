#!/usr/bin/env bash
# Brings what Civitas is built with: Debian packages (by apt where this user may install, else they
# are listed) and libtorch (by pip, into build/libtorch). What is there already is left alone.
#
#   bash jobs/setup.sh            to build and run
#   bash jobs/setup.sh --tests    also what the tests use
#
# TORCH_ROOT=DIR: use the libtorch in DIR (include/ and lib/) instead of bringing one.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

packages=(
  g++ cmake ninja-build ccache libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libgdal-dev gdal-bin
  libboost-program-options-dev nlohmann-json3-dev libpng-dev zlib1g-dev librandom123-dev
  libxxhash-dev libexpat1-dev python3-pip
)
test_packages=(catch2 clang-format-14 clang-tidy-16 shellcheck python3-h5py help2man mandoc)

# Tried together: these wheels fit each other and the sources.
wheels=(torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)

case ${1:-} in
  '') ;;
  --tests) packages+=("${test_packages[@]}") ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

may_install() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || return
  sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }
}

bring_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is no Debian, so nothing was checked. The Debian names of what is needed:"
    echo "  ${packages[*]}"
    return
  fi
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} = 0 ]; then
    echo "setup: all packages are there"
    return
  fi
  if ! may_install; then
    echo "setup: these packages are missing, and this user may not install them. Hint: as root," >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
  as_root "${apt[@]}" update
  as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null </dev/null
}

# Into a folder beside its place first, so that half a libtorch is never taken for a whole one.
bring_libtorch() {
  local folder=$root/build/libtorch
  if [ -n "${TORCH_ROOT:-}" ]; then
    if [ -e "$TORCH_ROOT/include/ATen/ATen.h" ]; then
      echo "setup: libtorch is in $TORCH_ROOT"
      return
    fi
    echo "setup: TORCH_ROOT=$TORCH_ROOT has no include/ATen/ATen.h. Hint: unset TORCH_ROOT." >&2
    exit 1
  fi
  if [ -e "$folder/torch/include/ATen/ATen.h" ]; then
    echo "setup: libtorch is in build/libtorch"
    return
  fi
  echo "setup: bringing libtorch into build/libtorch (1.2 GB)"
  rm -rf "$folder.part"
  mkdir -p "$root/build"
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
    --no-cache-dir --no-compile --no-deps --target "$folder.part" "${wheels[@]}"
  rm -rf "$folder" # what is there is no whole one
  mv -T "$folder.part" "$folder"
}

bring_packages
bring_libtorch
