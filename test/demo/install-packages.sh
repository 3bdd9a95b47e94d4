#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that building and testing need. Asks apt only when something is missing, so it costs
# nothing on a machine that is set up. Go is not among them: `test/controlplane/cluster build` gets it if the machine's
# is missing or too old.
set -euo pipefail

packages=(
  g++ make cmake ninja-build ccache git ca-certificates
  libcpprest-dev nlohmann-json3-dev libssl-dev prometheus-cpp-dev libspdlog-dev
  libsimdjson-dev libcli11-dev libyaml-cpp-dev libboost-dev zlib1g-dev
  libgtest-dev libgmock-dev clang-format
  python3 python3-venv openssl curl procps
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if [[ $(id -u) -ne 0 ]]; then
  echo "missing packages: ${missing[*]}" >&2
  echo "run as root:  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Old lists name package versions that are gone: always fetch them before an installation.
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "packages are installed"
