#!/bin/sh
# make-gallery.sh -- makes docs/gallery.md: a picture and the command of every scene in scenes/.
#
#     scripts/make-gallery.sh [BUILD] [SCENE...]      default: build/release, all scenes
#
# Runs each scene up to its moment and draws that frame; pictures go to docs/images/gallery. With names of scenes only
# their pictures are made anew. Needs ImageMagick's `convert`; two minutes on two cores.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
[ $# -gt 0 ] && shift
images=docs/images/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$images"

# The frame to show; one that is not named here shows a third of its way.
moment() {
    case $1 in
    dam_break) echo 14 ;;
    dam_break_2d) echo 22 ;;
    double_dam_2d) echo 15 ;;
    drop) echo 20 ;;
    drop_2d) echo 9 ;;
    channel_2d) echo 90 ;;
    hydrostatic_2d) echo 10 ;;
    mesh_obstacle) echo 22 ;;
    paddle_2d) echo 50 ;;
    pillars) echo 24 ;;
    smoke_2d) echo 135 ;;
    stream_2d) echo 30 ;;
    *) sed -n 's/.*"frames": *\([0-9]*\).*/\1/p' "scenes/$1.json" | awk '{ print int($1 / 3) }' ;;
    esac
}

draw() {
    frame=$(moment "$1")
    "$build/spate" run "scenes/$1.json" --frames "$frame" -o "$work/$1" --set output.preview=false \
        --set output.every="$frame" --quiet
    "$build/spate" render "$work/$1" --first "$frame" --no-film --quiet --size 1920x1080
    convert "$work/$1/frame.$(printf %04d "$frame").png" -resize 960x540 -quality 85 "$images/$1.jpg"
}

for scene in scenes/*.json; do
    name=$(basename "$scene" .json)
    case " $* " in
    "  " | *" $name "*) draw "$name" ;;
    esac
done

{
    cat <<'TEXT'
# Gallery

Every scene of the folder `scenes/`: a picture that spate drew of it, and the command that runs it and leaves its film.
`scripts/make-gallery.sh` makes this page.

TEXT
    for scene in scenes/*.json; do
        name=$(basename "$scene" .json)
        title=$(sed -n 's/^ *"name": *"\([^"\\]*\)".*/\1/p' "$scene" | head -n 1)
        printf '## %s\n\n![%s](images/gallery/%s.jpg)\n\n' "$name" "$title" "$name"
        printf '%s. Frame %s of\n\n```sh\nspate run scenes/%s.json\n```\n\n' "$title" "$(moment "$name")" "$name"
    done
} | sed '$d' >docs/gallery.md
