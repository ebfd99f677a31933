#!/usr/bin/env bash
# demo.sh BUILD_DIR: runs the demo on a private redis-server, which is stopped afterwards, also if
# the demo is interrupted.
set -euo pipefail

[ $# = 1 ] || { echo "usage: examples/demo.sh BUILD_DIR" >&2; exit 64; }
build=$1
dir=$(mktemp -d)  # only this user can enter it and reach the server
socket=$dir/redis.sock
server=
demo=

clean_up() {
    trap '' INT TERM HUP
    local child
    for child in $demo $server; do kill "$child" 2>/dev/null || true; done
    wait
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

redis-server --port 0 --unixsocket "$socket" --unixsocketperm 700 --save '' --appendonly no \
    --dir "$dir" >"$dir/log" 2>&1 &
server=$!
for _ in {1..100}; do
    [ ! -S "$socket" ] || break
    sleep 0.05
done
[ -S "$socket" ] || { echo "demo: redis-server did not start:" >&2; cat "$dir/log" >&2; exit 1; }

# In the background, because otherwise bash would handle a signal only after the demo has ended.
TMPDIR=$dir "$build/examples/demo" "unix:$socket" "$build/cli/pawl" &
demo=$!
status=0
wait "$demo" || status=$?
demo=
exit "$status"
