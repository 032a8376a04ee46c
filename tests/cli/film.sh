# Films and pictures: the preview film of a run, `spate render`, with ffmpeg, without it, and with one that fails.
. "${0%/*}/lib.sh"
scene_2d 4 >dam.json
scene_3d 3 >dam_3d.json

# what a film is, by ffprobe: codec, pixel format, width, height, pictures, pictures per second
probe() {
    ffprobe -v error -count_frames -select_streams v -show_entries \
        stream=codec_name,pix_fmt,width,height,nb_read_frames,r_frame_rate -of csv=p=0 "$1"
}
size() { # size FILE: width and height of a PNG
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'
}
few="--size 128x72 --quiet --threads 2"

# without ffmpeg there are pictures, and a word about it
spate run dam.json --quiet -o run
same run_without_ffmpeg "0" "$code$err"
same run_without_ffmpeg_files "" "$(ls run | grep mp4)"
spate render run $few
same no_ffmpeg "0 spate: warning: /nowhere/ffmpeg: is not there, so there is no film: install ffmpeg, or name the \
program in SPATE_FFMPEG; the pictures are made" "$code $err"
same pictures "frame.0000.png frame.0001.png frame.0002.png frame.0003.png frame.0004.png" \
    "$(cd run && echo frame.*)"
same picture_size 128x72 "$(size run/frame.0003.png)"
refuses only_a_film 6 "spate: /nowhere/ffmpeg: is not there, so there is no film: install ffmpeg, or name the \
program in SPATE_FFMPEG" render run $few --no-png
mkdir some
spate render run $few --first 1 --last 3 --every 2 -o some --no-film
same some_pictures "0 frame.0001.png frame.0003.png" "$code$err $(files some)"
same same_picture_anywhere "$(cksum <run/frame.0003.png)" "$(cksum <some/frame.0003.png)"
mkdir one
spate render run --size 128x72 --quiet --threads 1 --last 3 --first 3 -o one --no-film
same same_picture_any_threads "$(cksum <some/frame.0003.png)" "$(cksum <one/frame.0003.png)"

# an encoder that fails: the run is done, the command is not
cat >broken <<'EOF'
#!/bin/sh
echo "no such encoder" >&2
exit 3
EOF
chmod +x broken
SPATE_FFMPEG=$PWD/broken spate run dam.json --quiet -o warned
same broken_run "0 spate: warning: no film: warned/preview.mp4: ffmpeg has stopped: no such encoder" \
    "$code $(sed 's/has failed/has stopped/' <<<"$err")"
same broken_run_leaves "" "$(ls warned | grep -E 'mp4|tmp')"
SPATE_FFMPEG=$PWD/broken spate render run $few --no-png
same broken_render "4 spate: run/film.mp4: ffmpeg has stopped: no such encoder" \
    "$code $(sed 's/has failed/has stopped/' <<<"$err")"
same broken_render_leaves "" "$(ls run | grep -E 'mp4|tmp')"

# slips of the pen
refuses bad_size 2 "spate: --size: must be width x height in pixels, 16 to 16384 each, e.g. 1920x1080 (got \
'12'; see 'spate render --help')" render run --size 12
refuses bad_eye 2 "spate: --eye: must be three numbers, e.g. 1,0.5,3 (got '1,2'; see 'spate render --help')" \
    render run --eye 1,2
refuses bad_fov 2 "spate: --fov: must be 1 to 150 degrees (got '200'; see 'spate render --help')" render run --fov 200
refuses bad_view 2 "spate: --view: there is no view 'presure'; did you mean 'pressure'? (see 'spate render --help')" \
    render run --view presure
refuses bad_range 2 "spate: --range: must be two numbers, the smaller first, e.g. 0,5000 (got '5,1'; see 'spate \
render --help')" render run --range 5,1
refuses nothing_to_do 2 "spate: --no-png and --no-film leave nothing to do" render run --no-png --no-film
refuses eye_in_2d 2 "spate: --eye: only for 3D runs, and this one is 2D" render run --eye 1,2,3
refuses no_output 4 "spate: dam.json: is not a folder" render run -o dam.json
refuses no_run 4 "spate: some: holds no run (there is no run.json)" render some
refuses no_frames 4 "spate: run: has no particle files of these frames to draw" render run $few --first 9 --no-film
head -c 300 run/particles.0002.ply >cut && mv cut run/particles.0002.ply
spate render run $few --no-film --first 2 --last 2
same damaged_frame "4 spate: run/particles.0002.ply" "$code $(cut -d: -f1-2 <<<"$err")"

# 3D: camera, views, stamp: each makes another picture, and none of the wrong size
spate run dam_3d.json --quiet -o r3
number=0
sums=
for options in "" "--eye 3,1,2 --target 0.5,0.3,0.2" "--fov 60" "--target 0.2,0.2,0.2" "--stamp" "--view cells" \
    "--view pressure" "--view velocity" "--view divergence" "--view ppc" "--view ppc --slice 0.06" \
    "--view pressure --range 0,9000"; do
    number=$((number + 1))
    mkdir v$number
    # shellcheck disable=SC2086
    spate render r3 $few --no-film --first 3 -o v$number $options
    [ "$code$err" = 0 ] && [ "$(size v$number/frame.0003.png)" = 128x72 ] || fail "look_$number" "$options: $code $err"
    sums="$sums$(cksum <v$number/frame.0003.png)"$'\n'
done
same looks_differ "$number" "$(sort -u <<<"$sums" | grep -c .)"
refuses slice_outside 2 "spate: --slice: must be in the domain, 0 to 0.5 m (got 2)" render r3 $few --no-film \
    --view ppc --slice 2
refuses eye_at_target 2 "spate: --eye: is where the camera looks at" render r3 --eye 0.5,0.3,0.1 --target 0.5,0.3,0.1

unset SPATE_FFMPEG
if ! command -v ffmpeg >/dev/null || ! command -v ffprobe >/dev/null; then
    skip film "needs ffmpeg and ffprobe"
    finish
fi
spate run dam.json -o film
same film_said "everything is in film; film/preview.mp4 is the film" "$(tail -n 1 <<<"$err")"
same film "h264,640,360,yuv420p,30/1,5" "$(probe film/preview.mp4)"
holds film_starts_at_once grep -aqob moov <(head -c 4096 film/preview.mp4)
spate run dam_3d.json --quiet -o film_3d --set output.preview_height=90 --set fps=24
same film_3d "h264,160,90,yuv420p,24/1,4" "$(probe film_3d/preview.mp4)"
spate render film_3d --size 131x77 --quiet --fps 10
same odd_size "h264,132,78,yuv420p,10/1,4" "$(probe film_3d/film.mp4)"
spate run dam.json --quiet -o unfilmed --set output.preview_height=0
same no_film_wanted "" "$(ls unfilmed | grep mp4)"

# a run that is resumed has the whole film, and the same pictures
spate run dam.json --quiet -o parts --frames 2 --set output.checkpoint_every=1
same part "h264,640,360,yuv420p,30/1,3" "$(probe parts/preview.mp4)"
spate run --resume --quiet -o parts --frames 4
same resumed "h264,640,360,yuv420p,30/1,5" "$(probe parts/preview.mp4)"
# names that ffmpeg would take for an option and a protocol
for name in -x pipe:1; do
    spate render film -o "$name" --quiet --no-png --size 32x32
    same "film_in_$name" "0 h264,32,32,yuv420p,30/1,5" "$code $(probe "./$name/film.mp4")"
done
pictures() { ffmpeg -v error -i "$1" -f md5 -; }
same resumed_pictures "$(pictures film/preview.mp4)" "$(pictures parts/preview.mp4)"
# a set of particles beside the liquid is in the film from its first picture on
sed 's/"frames"/"tracers": [{ "shape": "box", "min": [0, 0], "max": [0.3, 0.3] }], "frames"/' dam.json >dots.json
spate run dots.json --quiet -o dots
spate run dots.json --quiet -o half --frames 2
spate run --resume --quiet -o half --frames 4
same dots_resumed "$(pictures dots/preview.mp4)" "$(pictures half/preview.mp4)"
holds dots_are_drawn [ "$(pictures dots/preview.mp4)" != "$(pictures film/preview.mp4)" ]
finish
