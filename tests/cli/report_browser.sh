# report.html in a browser, with the film: it loads, and nothing is wider than a phone or a desk.
. "${0%/*}/lib.sh"
unset SPATE_FFMPEG
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ] || ! command -v ffmpeg >/dev/null; then
    skip browser "needs chromium and ffmpeg"
    finish
fi
cat >dam.json <<END
{ "name": "dam & <gauges>", "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 4,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.5, 0.5] } ],
  "solids": [ { "name": "post", "shape": "box", "min": [0.7, 0], "max": [0.8, 0.2] } ],
  "gauges": [ { "name": "H1", "kind": "height", "at": [0.2, 0] }, { "name": "F1", "kind": "force", "solid": "post" } ] }
END
spate run dam.json --quiet -o seen
holds film_inside grep -q "src='data:video/mp4;base64," seen/report.html
cat >>seen/report.html <<'END'
<script>
const v = document.querySelector('video');
v.onloadeddata = () => document.body.dataset.seen = [v.videoWidth, v.videoHeight, v.duration > 0.1,
    document.documentElement.scrollWidth <= innerWidth, document.querySelectorAll('svg').length].join(' ');
v.load();
</script>
END
for width in 390 1280; do
    seen=$(timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size=$width,900 \
        --user-data-dir="$work/browser" --virtual-time-budget=20000 --dump-dom "file://$work/seen/report.html" \
        2>/dev/null | sed -n 's/.*data-seen="\([^"]*\)".*/\1/p')
    same "browser_$width" "640 360 true true 8" "$seen"
done
finish
