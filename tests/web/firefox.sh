# The page in Firefox: see firefox.mjs. FIREFOX names the browser. Without a screen Firefox has no WebGL, so it gets one
# in memory (xvfb).
modules=${SPATE_NODE_MODULES:-$SPATE_SOURCE/build/firefox-tests} # its own: two npm at once in one folder undo each other
skip() { echo "skip web_firefox"; echo "  skipped: $1"; exit 0; }
command -v node >/dev/null || skip "there is no node here"
FIREFOX=${FIREFOX:-$(command -v firefox-esr || command -v firefox)} || skip "there is no Firefox here"
command -v xvfb-run >/dev/null || skip "there is no xvfb here"
[ -d "$modules/node_modules/puppeteer-core" ] ||
    npm install --silent --no-audit --no-fund --prefix "$modules" puppeteer-core >/dev/null 2>&1 ||
    skip "npm cannot install puppeteer-core"
export FIREFOX LIBGL_ALWAYS_SOFTWARE=1
exec xvfb-run -a -s "-screen 0 1280x800x24" node "$SPATE_SOURCE/tests/web/firefox.mjs"
