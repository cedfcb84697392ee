#!/usr/bin/env bash
# Installs what the tests of a fleet need beside npm's packages: Ceph's object store, as an S3 server.
# 60 MB to load, 270 MB on the disk.
set -euo pipefail
command -v radosgw >/dev/null && exit
packages=(radosgw ceph-mon ceph-osd)
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "The tests on S3 are skipped: install ${packages[*]} first." >&2
  exit
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${packages[@]}"
