#!/usr/bin/env bash
# Installs what the tests of a fleet need beside npm's packages: Ceph's object store, as an S3 server
# (60 MB to load, 270 MB on the disk), pgbouncer, and PostgreSQL with its clients: npm's package of it
# has no pg_dump, and pg_dump reads no database that is newer than itself.
set -euo pipefail
missing=()
command -v radosgw >/dev/null || missing+=(radosgw ceph-mon ceph-osd)
compgen -G '/usr/lib/postgresql/*/bin/pg_ctl' >/dev/null || missing+=(postgresql)
command -v pgbouncer >/dev/null || missing+=(pgbouncer)
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Some tests are skipped: install ${missing[*]} first." >&2
  exit
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}"
