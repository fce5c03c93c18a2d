# What scripts that open pages in headless Chromium share; they take it in with `.`.
# $folder is theirs, and goes when they end.

browser=$(command -v chromium || command -v google-chrome || command -v chromium-browser)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

passed=0
pass() { passed=$((passed + 1)); echo "ok: $1"; }
fail() { echo "FAILED: $1"; shift; [ $# = 0 ] || cat "$@"; exit 1; }

# browse OPTION... FILE: prints what it is asked for; what the page complains of is in $folder/log.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars \
        --disable-background-networking --disable-component-update --disable-sync \
        --enable-logging=stderr --user-data-dir="$folder/profile" "${@:1:$#-1}" \
        "file://${*: -1}" 2>"$folder/log"
}

# What a page asks for, of anybody; browsers ask for things of their own too.
asked() {
    browse --log-net-log="$folder/net.json" --host-resolver-rules="MAP * ~NOTFOUND" \
        --virtual-time-budget=2000 --dump-dom "$1" >/dev/null
    grep '"initiator":"null"' "$folder/net.json" | grep -oE '"url":"(https?|wss?)://[^"]*"' || true
}

# without_policy PAGE: the page as it would be if its policy did not stop it.
without_policy() { sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$1"; }
