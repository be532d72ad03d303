#!/usr/bin/env bash
# Tries what operations.md says, for real, on this machine: three servers on one PostgreSQL behind nginx with the configuration
# of this folder; a chat as an event stream through it; two of them drained and replaced while people ask; backups restored.
#
#   deploy/try.sh [SERVER-PROGRAM]        everything on loopback and free ports, in a folder of its own, removed at the end
#
# Needs Debian's nginx-light, postgresql, sqlite3, curl and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/server}")
# Where Debian keeps what only root has on the path.
PATH=$PATH:/usr/sbin:/sbin
pg=$( (ls -d /usr/lib/postgresql/*/bin 2>/dev/null || true) | sort -V | tail -1)
for tool in nginx psql curl sqlite3 python3 "$pg/initdb"; do
    command -v "$tool" >/dev/null || { echo "try.sh: $tool is missing: apt-get install nginx-light postgresql sqlite3 curl python3" >&2; exit 1; }
done

work=$(mktemp -d /tmp/adagentai-try.XXXXXX)
chmod 711 "$work"
# An empty one of its own, so that the checkout's adagent.toml is not read.
touch "$work/empty.toml"
declare -A pids=()
finish() {
    status=$?
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    [ -f "$work/nginx.pid" ] && kill "$(cat "$work/nginx.pid")" 2>/dev/null
    as_postgres "$pg/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true
    [ "$status" = 0 ] && rm -rf "$work" || echo "try.sh: failed; everything is in $work" >&2
}
trap finish EXIT
say() { printf '%s\n' "-- $*"; }
fail() { echo "try.sh: $*" >&2; exit 1; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# initdb refuses to run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }

say "PostgreSQL"
dbport=$(free_port)
install -d -m 0700 "$work/pg"
[ "$(id -u)" = 0 ] && chown postgres: "$work/pg"
as_postgres "$pg/initdb" -D "$work/pg" -A trust -U adagent >/dev/null
as_postgres "$pg/pg_ctl" -D "$work/pg" -w -l "$work/pg/log" -o "-c listen_addresses=127.0.0.1 -p $dbport -c unix_socket_directories=$work/pg" start >/dev/null
url="postgres://adagent@127.0.0.1:$dbport"
psql -q "$url/postgres" -c 'create database desk'
keys="k1:$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=')"

public=$(free_port)
declare -A ports=() metrics=()
launch() { # name, database
    local name=$1 port=${ports[$1]:-$(free_port)}
    ports[$name]=$port
    metrics[$name]=${metrics[$name]:-$(free_port)}
    # The first server's sandbox serves all: networks are outside of the servers.
    local sandbox=(ADAGENT_SANDBOX__URL="http://127.0.0.1:$networks")
    [ "$name" = one ] && sandbox=(ADAGENT_SANDBOX__PORT="$networks")
    env "${sandbox[@]}" ADAGENT_LOG__FORMAT=json ADAGENT_VAULT_KEYS="$keys" ADAGENT_TRUST_PROXY=true ADAGENT_RATE_LIMITS=relaxed \
        ADAGENT_PUBLIC_URL="http://127.0.0.1:$public" ADAGENT_METRICS__LISTEN="127.0.0.1:${metrics[$name]}" \
        "$program" --port "$port" --data-dir "$work/$name" --database-url "$url/$2" --config "$work/empty.toml" \
        >"$work/$name.out" 2>>"$work/$name.log" &
    pids[$name]=$!
}
ready() { # name
    for _ in $(seq 600); do
        curl -sf "http://127.0.0.1:${ports[$1]}/readyz" >/dev/null && return
        kill -0 "${pids[$1]}" 2>/dev/null || { tail -5 "$work/$1.log" >&2; fail "$1 did not start"; }
        sleep 0.1
    done
    fail "$1 is not ready"
}
start() { launch "$@"; ready "$1"; }
stop() { # name; waits for the drain
    kill -TERM "${pids[$1]}"
    wait "${pids[$1]}" || fail "$1 did not end well"
    unset "pids[$1]"
}
networks=$(free_port)

say "three servers, started at once: one migrates, the others wait"
ports=([one]=$(free_port) [two]=$(free_port) [three]=$(free_port))
for name in one two three; do launch "$name" desk; done
for name in one two three; do ready "$name"; done

say "nginx"
sed -e "s/server 127.0.0.1:3001/server 127.0.0.1:${ports[one]}/" -e "s/server 127.0.0.1:3002/server 127.0.0.1:${ports[two]}/" \
    -e "s/server 127.0.0.1:3003/server 127.0.0.1:${ports[three]}/" -e "s/listen 8080;/listen 127.0.0.1:$public;/" \
    -e "s|/var/log/nginx/desk.log|$work/desk.log|" deploy/nginx/adagentai.conf > "$work/site.conf"
cat > "$work/nginx.conf" <<CONF
pid $work/nginx.pid;
error_log $work/nginx-error.log;
events { worker_connections 1024; }
http { access_log $work/nginx-access.log; client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;
       uwsgi_temp_path $work; scgi_temp_path $work; include $work/site.conf; }
CONF
nginx -q -t -c "$work/nginx.conf" -e "$work/nginx-error.log"
nginx -c "$work/nginx.conf" -e "$work/nginx-error.log"
base="http://127.0.0.1:$public"
call() { curl -sS --max-time 60 -b "$work/cookies" -c "$work/cookies" -H 'content-type: application/json' "$@"; }

say "an account and sandbox data, through nginx"
call -f "$base/api/auth/sign-up" -d '{"email":"ada@example.com","password":"correct horse","name":"Ada"}' >/dev/null
call -f "$base/api/sandbox/explore" -d '{}' >/dev/null
[ "$(call -o /dev/null -w '%{http_code}' "$base/metrics")" = 404 ] || fail "the world can read /metrics"

ask() { # question, file
    call -N -f -D "$2.head" "$base/chat/stream" -d "{\"message\":\"$1\"}" -o "$2" "${@:3}"
}
say "a question as an event stream through nginx"
ask 'What was my revenue yesterday?' "$work/first"
grep -q '^event: done' "$work/first" || fail "the stream has no end"
run=$(tr -d '\r' < "$work/first.head" | sed -n 's/^x-run-id: //ip')
# Which server wrote it and which one read it is nobody's business: every one can replay it.
for name in one two three; do
    replay=$(curl -sf --max-time 20 -b "$work/cookies" "http://127.0.0.1:${ports[$name]}/api/runs/$run/events")
    [ "$(grep -c '^id:' <<<"$replay")" = "$(grep -c '^id:' "$work/first")" ] || fail "$name replays something else"
done
busy=$(grep -l '"message":"request finished"' "$work"/{one,two,three}.log | wc -l)
[ "$busy" = 3 ] || fail "only $busy of three servers were asked"

say "an upgrade: one server after the other is drained and replaced, while people ask"
( for i in $(seq 12); do ask 'Show revenue by country for the last 7 days' "$work/roll-$i" || echo "$i" >> "$work/roll-failed"; done ) &
asking=$!
for name in two three; do stop "$name"; start "$name" desk; done
wait "$asking"
[ ! -s "$work/roll-failed" ] || fail "questions $(tr '\n' ' ' < "$work/roll-failed") were refused during the upgrade"
# A stream that was cut by its server's drain is taken up again, from any other.
for i in $(seq 12); do
    grep -q '^event: done' "$work/roll-$i" && continue
    run=$(tr -d '\r' < "$work/roll-$i.head" | sed -n 's/^x-run-id: //ip')
    last=$(sed -n 's/^id: *//p' "$work/roll-$i" | tail -1)
    call -f -H "Last-Event-ID: ${last:-0}" "$base/api/runs/$run/events" | grep -q '^event: done' || fail "question $i has no end"
    say "question $i was taken up after event ${last:-0}"
done

say "an approval that waits over a backup and a restore"
ask 'Create a mediation group for Puzzle Game on Android banner with AppLovin bidding' "$work/asks" --max-time 12 2>/dev/null || true
# The stream stays open while the approval waits: what is there now came through nginx at once.
grep -q '^event: tool_approval_required' "$work/asks" || fail "no approval was asked for"
"$pg/pg_dump" --format=custom --no-owner --enable-row-security --file="$work/desk.dump" "$url/desk"
psql -q "$url/postgres" -c 'create database restored'
"$pg/pg_restore" --no-owner --dbname="$url/restored" "$work/desk.dump"
start restored restored
pending=$(curl -sf -b "$work/cookies" "http://127.0.0.1:${ports[restored]}/api/approvals?status=pending")
grep -q '"status":"pending"' <<<"$pending" || fail "the restored database lost the approval"
states=$(curl -sf -b "$work/cookies" "http://127.0.0.1:${ports[restored]}/api/providers")
grep -q '"state":"connected"' <<<"$states" || fail "the restored server cannot open the connections: are the keys the same?"

say "metrics on the listeners of their own"
for name in one two three; do
    curl -sf "http://127.0.0.1:${metrics[$name]}/metrics" > "$work/$name.metrics"
    grep -q '^adagent_database_up 1' "$work/$name.metrics" || fail "$name has no metrics"
done

say "SQLite: a copy made while the server runs, restored with the keys"
small=$(free_port)
alone() { # folder
    env -u DATABASE_URL -u ADAGENT_VAULT_KEYS ADAGENT_LOG__FORMAT=json ADAGENT_SANDBOX__URL="http://127.0.0.1:$networks" \
        "$program" --port "$small" --data-dir "$1" --config "$work/empty.toml" >/dev/null 2>>"$work/sqlite.log" &
    pids[sqlite]=$!
    for _ in $(seq 300); do curl -sf "http://127.0.0.1:$small/readyz" >/dev/null && return; sleep 0.1; done
    fail "the server on SQLite is not ready"
}
base="http://127.0.0.1:$small"
alone "$work/sqlite"
call -f "$base/api/auth/sign-up" -d '{"email":"bob@example.com","password":"correct horse","name":"Bob"}' >/dev/null
call -f "$base/api/sandbox/explore" -d '{}' >/dev/null
mkdir -m 0700 "$work/copy"
sqlite3 "$work/sqlite/adagent.db" ".backup '$work/copy/adagent.db'"
cp -p "$work/sqlite/vault.keys" "$work/copy/"
stop sqlite
alone "$work/copy"
call -f "$base/api/auth/sign-in" -d '{"email":"bob@example.com","password":"correct horse"}' >/dev/null
call -f "$base/api/providers" | grep -q '"state":"connected"' || fail "the copy lost the connection"
ask 'What was my revenue yesterday?' "$work/copied"
grep -q '^event: done' "$work/copied" || fail "the copy answers nothing"
stop sqlite
say "all of it worked"
