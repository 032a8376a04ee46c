#!/bin/bash
# whitewater.sh -- foam, spray and bubbles: files of a run, `spate whitewater DIR`, exports, errors.
. "${0%/*}/lib.sh"

cat >wild.json <<'END'
{ "name": "wild", "domain": { "size": [2, 1], "cells": 64 }, "frames": 64, "fps": 60,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.8, 0.8] } ],
  "whitewater": { "on": true, "rate": 60, "strain_low": 8 },
  "output": { "preview": false, "checkpoint_every": 0 } }
END

# count FILE: the particles of a PLY
count() { sed -n '1,/end_header/s/^element vertex //p' "$1" | tr -d '\000'; }
# within SHARE A B: whether A is B to within a share
within() { awk -v s="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(b > 0 && a >= (1 - s) * b && a <= (1 + s) * b) }'; }

spate run wild.json -o a --json --quiet
same run_writes_a_file_each_frame "0 65" "$code $(ls a/whitewater.*.ply | wc -l)"
same header "ply
format binary_little_endian 1.0
comment spate $version, m and m/s
element vertex N
property float x
property float y
property float z
property float vx
property float vy
property float vz
property uint id
property uint type
property float age
property float life
property float radius
end_header" "$(sed -n '1,/end_header/p' a/whitewater.0064.ply | tr -d '\000' | sed 's/^\(element vertex\) .*/\1 N/')"
holds json_has_the_hash grep -q '"whitewater_hash": "[0-9a-f]*"' <<<"$out"
last=$(count a/whitewater.0064.ply)
holds there_is_some [ "$last" -gt 300 ]
liquid=$(tail -1 <<<"$out" | sed 's/.*"hash": "\([0-9a-f]*\)".*/\1/')
came=$(tail -1 <<<"$out" | sed 's/.*"whitewater_emitted": \([0-9]*\).*/\1/')

# ---- the liquid is the same without it, and a run that had none can get it later
spate run wild.json -o b --json --quiet --set whitewater.on=false
same liquid_is_the_same "$liquid" "$(tail -1 <<<"$out" | sed 's/.*"hash": "\([0-9a-f]*\)".*/\1/')"
same none_without "0" "$(ls b/whitewater.* 2>/dev/null | wc -l)"
spate whitewater b --set whitewater.rate=60 --set whitewater.strain_low=8
same made_later "0 65" "$code $(ls b/whitewater.*.ply | wc -l)"
holds numbers_as_in_the_run within 0.15 "$(count b/whitewater.0064.ply)" "$last"
holds as_many_come within 0.15 "$(tail -1 <<<"$err" | sed 's/ came.*//; s/,//g')" "$came"
refuses not_twice 4 "spate: b/whitewater.0000.ply is there already: --overwrite replaces all whitewater of the run" whitewater b
spate whitewater b --overwrite --quiet --set whitewater.rate=60 --set whitewater.strain_low=8 --threads 1
same again "0" "$code$out$err"
refuses bad_setting 3 "spate: b: whitewater.speed_high: must be above speed_low (0.2; got 0.1)" \
    whitewater b --overwrite --set whitewater.speed_high=0.1

# ---- exports
spate export a --to vtk --last 2 --quiet
same vtk "0 whitewater.0000.vtp whitewater.0001.vtp whitewater.0002.vtp whitewater.pvd" \
    "$code $(cd a/vtk && echo whitewater.*)"
spate export a --to usd --last 1 --quiet
same usd "0 whitewater.0000.usdc whitewater.0001.usdc" "$code $(cd a/usd && echo whitewater.*)"

# ---- a run that goes on has the bits of one that did not stop
spate run wild.json -o c --quiet --frames 30
spate run wild.json -o c --quiet --resume --frames 64
same resume "0 " "$code $(cmp a/whitewater.0064.ply c/whitewater.0064.ply 2>&1)"

# ---- errors
refuses unknown_class 3 "spate: --set: whitewater.foams.on: unknown setting; did you mean 'foam'?" \
    check wild.json --set whitewater.foams.on=false
spate check wild.json
holds check_tells grep -q 'whitewater up to some' <<<"$out"
finish
