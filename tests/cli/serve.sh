# spate serve: what it answers, and what it keeps to itself.
. "${0%/*}/lib.sh"
command -v curl >/dev/null || { skip serve "there is no curl here"; finish; }
mkdir -p site/sub
echo '<p>page' >site/index.html
echo 'export {};' >site/sub/a.mjs
printf '\0asm' >site/core.wasm
echo secret >secret.txt
ln -s ../secret.txt site/link.txt
ln -s sub/a.mjs site/inner.mjs
mkdir empty

"$SPATE" serve site --port 0 >address 2>err &
server=$!
trap 'kill $server 2>/dev/null; cd / && rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
base=$(cat address)
holds address grep -Eqx 'http://localhost:[0-9]+/' address

get() { curl -s --path-as-is -o body -w '%{http_code} %{content_type}' "$@"; }
same page "200 text/html; charset=utf-8" "$(get "$base")"
same page_body '<p>page' "$(cat body)"
same query "200 text/html; charset=utf-8" "$(get "${base}?scene=x")"
same module "200 text/javascript; charset=utf-8" "$(get "${base}sub/a.mjs")"
same wasm "200 application/wasm" "$(get "${base}core.wasm")"
same escaped "200 text/javascript; charset=utf-8" "$(get "${base}sub%2Fa.mjs")"
same link_inside "200 text/javascript; charset=utf-8" "$(get "${base}inner.mjs")"
head=$(curl -sI "$base")
for header in 'Cross-Origin-Opener-Policy: same-origin' 'Cross-Origin-Embedder-Policy: require-corp' \
    'X-Content-Type-Options: nosniff'; do
    holds "header_${header%%:*}" grep -q "$header" <<<"$head"
done

for path in ../secret.txt sub/../../secret.txt %2e%2e/secret.txt ..%2fsecret.txt link.txt none.txt sub '%00' '%zz' \
    '..\secret.txt' //etc/passwd; do
    same "hidden_$path" 404 "$(get "$base$path" | cut -c1-3)"
    holds "hidden_body_$path" bash -c '! grep -q "secret\|root:" body'
done
same post 405 "$(get -X POST "$base" | cut -c1-3)"
same absolute 404 "$(get --request-target "$work/secret.txt" "$base" | cut -c1-3)"
same no_slash 404 "$(get --request-target index.html "$base" | cut -c1-3)"
long=$(printf 'a%.0s' $(seq 3000))
same long_path 404 "$(get "$base$long" | cut -c1-3)"
# a connection that says nothing, and one that is dropped, do not end it
exec 3<>"/dev/tcp/localhost/$(tr -dc 0-9 <address)" && exec 3>&-
same still_there 200 "$(get "$base" | cut -c1-3)"

port=$(tr -dc 0-9 <address)

# many at a time: a hundred that say nothing, and ones that trickle, keep nobody waiting, and are closed in the end
for k in {1..100}; do
    eval "exec $((100 + k))<>/dev/tcp/localhost/$port"
done
printf 'GET / HT' >&200
same beside_silent_ones "200 " "$(timeout 2 curl -s -o body -w '%{http_code} ' "$base")"
for k in {1..100}; do eval "exec $((100 + k))>&-"; done
exec 3<>"/dev/tcp/localhost/$port"
(for k in {1..40}; do printf 'G' || exit; sleep 0.5; done >&3) 2>/dev/null &
begun=$(date +%s)
timeout 15 cat <&3 >/dev/null
holds trickle_is_cut test $(($(date +%s) - begun)) -lt 12
exec 3>&-
# a FIFO and a folder are no files
mkfifo site/pipe
same pipe 404 "$(timeout 5 curl -s -o body -w '%{http_code}' "${base}pipe")"

# requests that a name from elsewhere has led here
for host in localhost "localhost:$port" 127.0.0.1:9 '[::1]:1'; do
    same "host_$host" 200 "$(get -H "Host: $host" "$base" | cut -c1-3)"
done
for host in evil.example localhost.evil.example "localhost:1@evil" ""; do
    same "host_$host" 403 "$(get -H "Host: $host" "$base" | cut -c1-3)"
done

# smaller on the way, for those who ask
yes 'the same again' | head -c 200000 >site/long.mjs
size() { curl -s -o body -w '%{size_download}' "$@" "${base}long.mjs"; }
same plain_size 200000 "$(size)"
holds packed_size test "$(size -H 'Accept-Encoding: br, gzip')" -lt 20000
holds packed_body cmp site/long.mjs <(gzip -dc <body)
same packed_head "Content-Encoding: gzip" \
    "$(curl -s -o body -D - -H 'Accept-Encoding: gzip;q=0.5' "${base}long.mjs" | tr -d '\r' | grep Encoding: | tail -n 1)"
same not_packed 200000 "$(size -H 'Accept-Encoding: gzip;q=0, identity')"
same not_by_part_of_a_word 200000 "$(size -H 'Accept-Encoding: xgzip, gzipx')"
head -c 3000000 /dev/urandom >site/noise.bin
curl -s -o body "${base}noise.bin"
holds large_file cmp body site/noise.bin

refuses port_taken 4 "spate: port $port: Address already in use; choose another with --port" serve site --port "$port"
refuses no_folder 4 "spate: none: No such file or directory; \`make web\` makes the page in build/web" serve none
# the page of an installed command
mkdir -p there/bin there/share/spate/web elsewhere
cp "$SPATE" there/bin/spate && cp site/index.html there/share/spate/web
(cd elsewhere && exec ../there/bin/spate serve --port 0) >second 2>/dev/null &
other=$!
for _ in $(seq 100); do [ -s second ] && break; sleep 0.1; done
same installed_page "<p>page" "$(curl -s "$(cat second)")"
kill $other
refuses no_page 4 "spate: empty: has no index.html; \`make web\` makes the page in build/web" serve empty
refuses port_too_high 2 "spate: --port: must be at most 65535 (got 70000)" serve site --port 70000
kill -INT $server
wait $server
same interrupted 0 $?
finish
