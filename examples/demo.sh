#!/usr/bin/env bash
# demo.sh BUILD_DIR: runs the demo on private servers, which are stopped afterwards, also if the demo
# is interrupted.
set -euo pipefail

[ $# = 1 ] || { echo "usage: examples/demo.sh BUILD_DIR" >&2; exit 64; }
build=$1
dir=$(mktemp -d)  # only this user can enter it and reach the servers
servers=()
demo=

clean_up() {
    trap '' INT TERM HUP
    local child
    for child in $demo "${servers[@]}"; do kill "$child" 2>/dev/null || true; done
    wait
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# start_server NAME: on the socket NAME.sock.
start_server() {
    mkdir "$dir/$1"
    redis-server --port 0 --unixsocket "$dir/$1.sock" --unixsocketperm 700 --save '' --appendonly no \
        --dir "$dir/$1" >"$dir/$1/log" 2>&1 &
    servers+=("$!")
}

wait_for_server() {
    for _ in {1..100}; do
        [ ! -S "$dir/$1.sock" ] || return 0
        sleep 0.05
    done
    echo "demo: redis-server did not start:" >&2
    cat "$dir/$1/log" >&2
    exit 1
}

nodes=(node1 node2 node3 node4 node5)
for each in redis "${nodes[@]}"; do start_server "$each"; done
for each in redis "${nodes[@]}"; do wait_for_server "$each"; done
quorum=redlock:$(IFS=,; echo "${nodes[*]/#/unix:$dir/}")
quorum=${quorum//,/.sock,}.sock
# New nodes do not vote before they know that they have not just lost their data.
"$build/cli/pawl" quorum init --url "$quorum" >"$dir/init" || { cat "$dir/init" >&2; exit 1; }

# In the background, because otherwise bash would handle a signal only after the demo has ended.
TMPDIR=$dir "$build/examples/demo" "unix:$dir/redis.sock" "$build/cli/pawl" "$quorum" \
    "${servers[1]}" "${servers[2]}" &
demo=$!
status=0
# bash would report the servers that the demo kills.
{ wait "$demo" || status=$?; } 2>/dev/null
demo=
exit "$status"
