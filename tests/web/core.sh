# The WebAssembly core in node: see core.mjs.
command -v node >/dev/null || { echo "skip web_core"; echo "  skipped: there is no node here"; exit 0; }
exec node "$SPATE_SOURCE/tests/web/core.mjs"
