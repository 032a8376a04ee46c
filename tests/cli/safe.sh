# No command destroys what it did not make: exports, pictures and runs into the folders of others, by any name.
. "${0%/*}/lib.sh"
scene_2d 2 >dam.json
spate run dam.json -o run --quiet --set output.preview=false
spate run dam.json -o other --quiet --set output.preview=false
ln -s run link
sums() { (cd "$1" && find . -type f | sort | xargs cksum); }
before=$(sums run) others=$(sums other)
unharmed() { # unharmed NAME: neither run has changed
    same "$1" "$before
$others" "$(sums run)
$(sums other)"
}

# export into a run, its own or another, by every name
for target in run ./run/../run link link/. "$PWD/run" other; do
    refuses "export_into_${target##*/}" 4 "spate: $target: holds a run, whose files would be lost: choose another \
folder with -o" export run --to ply -o "$target" --quiet
    unharmed "unharmed_${target##*/}"
done
ln -s ../other run/ply
refuses export_through_link 4 "spate: run/ply: holds a run, whose files would be lost: choose another folder with -o" \
    export run --to ply
rm run/ply
unharmed unharmed_through_link

# What an export has not made is not replaced, what it has made is.
mkdir mine
cp run/particles.0001.ply mine/particles.0007.ply
refuses files_of_others 4 "spate: mine: holds particles.0007.ply, which 'spate export' has not made: choose another \
folder with -o, or move it away" export run --to ply -o mine
same files_of_others_stay particles.0007.ply "$(files mine)"
mkdir -p cache/data && echo baked >cache/data/pp_0001.uni
refuses cache_of_others 4 "spate: cache: holds data/pp_0001.uni, which 'spate export' has not made: choose another \
folder with -o, or move it away" export run --to blender -o cache
same cache_of_others_stays baked "$(cat cache/data/pp_0001.uni)"
spate export run --to blender -o linked --quiet
rm -r linked/data && ln -s ../cache/data linked/data
spate export run --to blender -o linked --quiet
same linked_cache_stays "4 baked" "$code $(cat cache/data/pp_0001.uni)"
spate export run --to ply -o new --quiet
spate export run --to ply -o new --quiet --first 1
same export_replaces_its_own "0 particles.0001.ply particles.0002.ply" "$code $(files new)"
spate run dam.json -o volumes --quiet --set output.preview=false --set output.volume=vtk
refuses volumes_of_the_run 4 "spate: volumes/vtk: holds volume.0000.vti, which 'spate export' has not made: choose another \
folder with -o, or move it away" export volumes --to vtk
same volumes_stay 3 "$(ls volumes/vtk | grep -c vti)"

# two at a time
mkdir busy
flock busy "$SPATE" export run --to ply -o busy 2>err
same export_locks "4 spate: busy: another run or export is working in this folder: wait for it, or choose another one \
with -o" "$? $(cat err)"

# pictures
refuses render_into_a_run 4 "spate: other: holds another run: its pictures stay its own; choose another folder with -o" \
    render run -o other --no-film --size 32x32
spate render run -o a/new --no-film --size 32x32 --quiet
same render_makes_its_folder "0 frame.0000.png frame.0001.png frame.0002.png" "$code $(files a/new)"
spate render link -o ./run --no-film --size 32x32 --quiet
same render_into_its_own "0 3" "$code $(ls run | grep -c png)"
rm run/*.png
unharmed unharmed_by_render

# links that somebody has planted under the names of what is to be written
echo precious >precious
for name in plot.energy.svg report.html mesh.0001.ply frame.0001.png; do
    ln -s ../precious "run/$name"
    ln -s ../precious "run/$name.tmp"
done
spate plot run --quiet
same plot_follows_no_link "0 precious" "$code $(cat precious)"
spate mesh run --quiet
same mesh_follows_no_link "0 precious" "$code $(cat precious)"
spate render run --no-film --size 32x32 --quiet
same render_follows_no_link "0 precious" "$code $(cat precious)"
ln -s precious one.usda.tmp
ln -s precious one.usda.samples.tmp
spate export run --to usd -o one.usda --quiet
same usd_follows_no_link "0 precious" "$code $(cat precious)"
rm run/plot.* run/report.html run/mesh.* run/*.png

# --overwrite removes a run, and nothing that only looks like one
mkdir -p film && echo holiday >film/film.mp4
for option in "" --overwrite --resume; do
    spate run dam.json -o film $option --quiet
    same "film_stays$option" "4 holiday" "$code $(cat film/film.mp4)"
done
cat >from.json <<END
{ "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 1, "output": { "preview": false },
  "fill": [ { "shape": "particles", "file": "link/particles.0002.ply" } ] }
END
refuses overwrite_what_it_reads 4 "spate: from.json: fill[0].file: $(realpath run)/particles.0002.ply is one of the files in run \
that this run would remove: choose another folder (-o DIR), or copy it" run from.json -o run --overwrite --quiet
unharmed unharmed_by_overwrite
ln -s ../other run/ply
spate run dam.json -o run --overwrite --quiet --set output.preview=false
same overwrite_follows_no_link "0
$others" "$code
$(sums other)"
rm run/ply
spate export run --to blender --quiet
spate run dam.json -o run --overwrite --quiet --set output.preview=false
holds overwrite_removes_the_cache test ! -e run/blender
spate export run --to blender --quiet
same export_after_overwrite 0 "$code$err"
mkdir -p script && echo mine >script/open.py
spate export run --to blender -o script --quiet
same script_stays "4 mine" "$code $(cat script/open.py)"
mkdir -p fresh/vtk && echo mine >fresh/vtk/particles.0003.vtp
spate run dam.json -o fresh --quiet --set output.preview=false --set output.particles=vtk
same run_replaces_no_export "4 spate: fresh/vtk: holds particles.0003.vtp, which this run would replace: choose another \
folder with -o, or move it away vtk" "$code $err $(files fresh)"

# a copy of a run by hard links stays as it was when the run goes on
cat >gauged.json <<END
{ "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 2, "output": { "preview": false, "gauge_rate": 100 },
  "gauges": [ { "kind": "height", "at": [0.1, 0] } ], "fill": [ { "min": [0, 0], "max": [0.5, 0.5] } ] }
END
spate run gauged.json -o gauged --quiet
cp -al gauged copy
kept=$(sums copy)
spate run gauged.json -o gauged --resume --frames 4 --quiet
same copy_by_links "0 4
$kept" "$code $(tail -n 1 gauged/stats.csv | cut -d, -f1)
$(sums copy)"
for name in stats.csv gauges.csv gauge_samples.csv; do # and so does what a link leads to
    mv gauged/$name $name
    ln -s ../$name gauged/$name
done
kept=$(cksum *.csv)
spate run gauged.json -o gauged --resume --frames 6 --quiet
same tables_follow_no_link "0 6
$kept" "$code$err $(tail -n 1 gauged/stats.csv | cut -d, -f1)
$(cksum *.csv)"
spate run gauged.json -o straight --frames 6 --quiet
same tables_after_links "$(cd straight && cksum gauge*.csv)" "$(cd gauged && cksum gauge*.csv)"
finish
