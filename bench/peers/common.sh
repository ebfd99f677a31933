# The common part of the `run` scripts of all peers. A script sets these, then calls `main "$@"`.
#   tools    the commands it needs besides python3
#   version  of the peer, read from the file that pins it
#   worker   the command that starts one process, see round.py
#   tunable  no if there is no setting for a contended lock, otherwise yes
#   warm_up  seconds that do not count
#   kinds    what it has, of those in round.py
#   install  a function that puts everything into $build
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
peer=$(basename "$here")
repository=$(cd "$here/../../.." && pwd)
build=$repository/build/peers/$peer
log=$build/install.log
tools=()
tunable=yes
kinds=lock
warm_up=1

fail() { printf '%s: %s\n' "$peer" "$*" >&2; exit 1; }

# Identifies what was installed, by the files that it was installed from.
fingerprint() { (cd "$here" && sha256sum -- *) }

is_installed() { [ "$(cat "$build/installed" 2>/dev/null)" = "$(fingerprint)" ]; }

require_tools() {
    local tool
    for tool in python3 "${tools[@]}"; do
        command -v "$tool" >/dev/null || fail "$tool is not installed"
    done
}

# The messages of package managers when there is no network.
no_network='ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH'
no_network+='|no such host|dial tcp|unknown host|name resolution|NewConnectionError'
no_network+='|connection refused|timed out|unreachable|could not transfer'

# logged COMMAND…: if it fails, one line says why. The log has the rest.
logged() {
    "$@" >>"$log" 2>&1 && return
    if grep -qiE "$no_network" "$log"; then
        fail "the registry cannot be reached (see ${log#"$repository"/})"
    fi
    fail "$1 failed (see ${log#"$repository"/}): $(grep -m1 -iE 'error|requires' "$log" || true)"
}

install_once() {
    require_tools
    is_installed && return
    rm -rf "$build"
    mkdir -p "$build"
    install
    fingerprint >"$build/installed"
}

run_round() {
    require_tools
    is_installed || fail "the pinned version is not installed: call 'run install' first"
    exec python3 "$here/../round.py" --peer "$peer" --version "$version" --tunable "$tunable" \
        --warm-up "$warm_up" --kinds "$kinds" "$@" -- "${worker[@]}"
}

main() {
    case "$#:${1-}" in
        1:install) install_once ;;
        4:*) run_round "$@" ;;
        *) fail "usage: run install | run WORKLOAD HOST PORT[,PORT…] SECONDS" ;;
    esac
}
