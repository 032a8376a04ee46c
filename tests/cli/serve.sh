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
refuses port_taken 4 "spate: port $port: Address already in use; choose another with --port" serve site --port "$port"
refuses no_folder 4 "spate: none: No such file or directory; \`make web\` makes the page in build/web" serve none
refuses no_page 4 "spate: empty: has no index.html; \`make web\` makes the page in build/web" serve empty
refuses port_too_high 2 "spate: --port: must be at most 65535 (got 70000)" serve site --port 70000
kill -INT $server
wait $server
same interrupted 0 $?
finish
