# Files that were made to do harm, and scenes with many mistakes: each is refused in words, at once, and without bytes
# that a terminal obeys.
. "${0%/*}/lib.sh"
scene_2d 2 >dam.json
spate run dam.json -o run --quiet --set output.preview=false

# spoil FILE NUMBER BYTES: replaces a float of a particle file, counted from the first row
spoil() {
    local header
    header=$(head -c 4096 "$1" | grep -abo -m 1 'end_header' | cut -d: -f1)
    printf "$3" | dd of="$1" bs=1 seek=$((header + 11 + 4 * $2)) conv=notrunc status=none
}
i=0
for what in 'x\x00\x00\xc0\x7f' 'x\x00\x00\x80\x7f' 'x\xf9\x02\x15\x50' 'v\x00\x00\xc0\x7f'; do
    i=$((i + 1))
    rm -rf spoilt && cp -r run spoilt
    column=0 words="the position of particle 1 is"
    [ "${what:0:1}" = x ] || column=3 words="the velocity of particle 1 is"
    spoil spoilt/particles.0001.ply $column "${what:1}"
    for command in "export --to ply" "export --to usd" "export --to vtk" "export --to blender" "render --no-film"; do
        spate ${command%% *} spoilt ${command#* } --quiet
        case "$code $err" in
        "4 spate: spoilt/particles.0001.ply: $words outside of the domain" | \
            "4 spate: spoilt/particles.0001.ply: $words not a finite number") ok "spoilt_${i}_${command##* }" ;;
        *) fail "spoilt_${i}_${command##* }" "$code $err" ;;
        esac
    done
    spate mesh spoilt --quiet
    same "spoilt_${i}_mesh" "4 spate: spoilt/particles.0001.ply" "$code ${err%: *}"
done

# run.json that promises more than there can be
cp -r run endless
sed -i 's/"cells": *16/"cells": 200000/' endless/run.json
refuses endless_cells 4 "spate: endless/run.json: the scene in it: domain.cells: must be at most 16384 (got 200000)" \
    export endless --to vtk --volume

# a frame number that is far away costs no time
cp -r run far
cp far/particles.0001.ply far/particles.999999999.ply
for command in "mesh" "render --no-film --size 32x32"; do
    timeout 20 "$SPATE" $command --quiet far 2>err
    same "far_frame_${command%% *}" "0 " "$? $(cat err)"
done

# particles in one place cost no more than others: it was every pair of them, for the smallest distance
{
    printf 'ply\nformat ascii 1.0\nelement vertex 80000\nproperty float x\nproperty float y\nproperty float z\nend_header\n'
    yes '0.3 0.3 0' | head -n 80000
} >one_place.ply
cat >one_place.json <<END
{ "domain": { "size": [1, 1], "cells": 16 }, "frames": 1, "fps": 100, "output": { "preview": false },
  "fill": [ { "shape": "particles", "file": "one_place.ply" } ] }
END
spate run one_place.json -o one_place --quiet
same one_place "0 0" "$code $(column one_place/stats.csv min_distance | tail -n 1)"
holds one_place_is_quick awk "BEGIN { exit !($(column one_place/stats.csv t_other | tail -n 1) < 1.5) }"

# no control characters, however they come in
name=$(printf 'a\033[31mb\nc.json')
refuses name_of_a_file 4 "spate: a?[31mb?c.json: cannot be opened: No such file or directory" check "$name"
printf '{ "domain": { "size": [1, 1] }, "a\\u001b[31mb": 1 }' >key.json
spate check key.json
same key_of_a_scene "3 0" "$code $(printf %s "$err" | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')"
refuses word_of_an_option 2 "spate: --view: there is no view 'x?y' (see 'spate render --help')" \
    render run --view "$(printf 'x\033y')"
cp -r run named
sed -i 's/"name": "small dam"/"name": "small\\u001b[2Jdam"/; s/"device": "cpu"/"device": "cp\\u0007u"/' named/run.json
spate info named
same names_of_a_run "0" "$(printf %s "$out" | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')"

# numbers stay short
refuses long_cells 3 "spate: dam.json: domain.cell_size: gives 1e+300 cells along x, at most 16384 are possible: use \
larger cells" check dam.json --set domain.cell_size=1e-300
longest=$(printf '9%.0s' {1..300})
spate check dam.json --set "frames=$longest"
holds long_number test "$code" = 3 -a ${#err} -lt 120

# every mistake of a scene, not only the first
cat >many.json <<END
{ "domain": { "size": [1, 1], "sells": 8 }, "fluid": { "flip_rato": 0.9 }, "frame": 3,
  "solids": [ { "shape": "sphere", "center": [0, 0], "radios": 1 } ] }
END
refuses all_keys 3 "spate: many.json: domain.sells: unknown setting; did you mean 'cells'?
spate: many.json: fluid.flip_rato: unknown setting; did you mean 'flip_ratio'?
spate: many.json: frame: unknown setting; did you mean 'frames'?
spate: many.json: solids[0].radios: unknown setting; did you mean 'radius'?" check many.json
cat >values.json <<END
{ "domain": { "size": [1, 1], "cells": 0 }, "fluid": { "flip_ratio": 9 }, "frames": "many" }
END
refuses all_values 3 "spate: values.json: domain.cells: must be at least 1 (got 0)
spate: values.json: fluid.flip_ratio: must be at most 1 (got 9)
spate: values.json: frames: must be a whole number (got a string)" check values.json
{
    echo '{ "domain": { "size": [1, 1] }'
    for k in {1..40}; do echo ", \"nothing_like_it_$k\": 1"; done
    echo '}'
} >flood.json
spate check flood.json
same many_more "3 spate: flood.json: ... and more" "$code $(tail -n 1 <<<"$err")"

# what a cell sums up stays finite
refuses huge_channel 3 "spate: --set: channels[0].initial: must be at most 1e+30 (got 1e+38)" \
    check dam.json --set 'channels=[{"name": "dye", "initial": [1e38], "pic": true}]'
finish
