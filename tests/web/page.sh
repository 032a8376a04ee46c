# The page in Chromium: see page.mjs. CHROMIUM names the browser, SPATE_NODE_MODULES the folder of playwright-core.
modules=${SPATE_NODE_MODULES:-$SPATE_SOURCE/build/web-tests}
skip() { echo "skip web_page"; echo "  skipped: $1"; exit 0; }
command -v node >/dev/null || skip "there is no node here"
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "there is no Chromium here"
[ -d "$modules/node_modules/playwright-core" ] ||
    npm install --silent --no-audit --no-fund --prefix "$modules" playwright-core >/dev/null 2>&1 ||
    skip "npm cannot install playwright-core"
exec node "$SPATE_SOURCE/tests/web/page.mjs"
