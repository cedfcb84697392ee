#!/usr/bin/env bash
# A real S3 server for tests: Ceph's radosgw over one monitor and one OSD that keeps everything in
# memory. Prints `ready` when it answers, and ends with all of it when its input ends.
#   s3-server.sh FOLDER PORT MONITOR_PORT ACCESS_KEY SECRET_KEY
set -euo pipefail
folder=$1 port=$2 monitor="[v1:127.0.0.1:$3]" access=$4 secret=$5
mkdir -p "$folder"/{mon,osd,run}
cd "$folder"

cat > ceph.conf <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
monmap = $folder/monmap
public addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
mon allow pool size one = true
paxos propose interval = 0.01
paxos min wait = 0.01
mon data = $folder/mon
osd data = $folder/osd
run dir = $folder/run
admin socket = $folder/run/\$name.asok
log file = $folder/\$name.log
mon cluster log file = $folder/cluster.log
log to stderr = false
err to stderr = false
mon data avail crit = 1
mon data avail warn = 2
rgw data = $folder/run
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw enable usage log = false
rgw run sync thread = false
rgw enable gc threads = false
rgw lifecycle work time = 00:00-00:01
CONF
export CEPH_CONF=$folder/ceph.conf

children=()
finish() {
  trap - EXIT
  exec 2>/dev/null
  kill -9 "${children[@]}" || true
  kill -9 "$(cat osd.pid)" || true
}
trap finish EXIT
trap 'exit 1' TERM INT

monmaptool --create --addv a "$monitor" --fsid "$(sed -n 's/^fsid = //p' ceph.conf)" monmap >/dev/null
ceph-mon -i a --mkfs --monmap monmap
ceph-mon -i a -f >/dev/null & children+=($!)
ceph-osd -i 0 --mkfs >/dev/null
# An OSD that asks before it knows the cluster's id is refused, and ends: then once more.
run_osd() {
  while true; do
    ceph-osd -i 0 -f >/dev/null & echo $! > osd.pid
    wait $! || sleep 0.2
  done
}
run_osd & children+=($!)
radosgw -n client.rgw -f >/dev/null & children+=($!)
timeout 120 radosgw-admin user create --uid tests --display-name tests --access-key "$access" --secret-key "$secret" >/dev/null
until curl -so /dev/null "http://127.0.0.1:$port/"; do sleep 0.2; done
echo ready
cat >/dev/null
