# Bad scenes: each gets one line that says what is wrong and where, exit code 3, and no folder.
. "${0%/*}/lib.sh"

# bad NAME MESSAGE: the scene on stdin is refused with this message by `check` and by `run`
bad() {
    cat >scene.json
    refuses "$1" 3 "spate: scene.json: $2" check scene.json
    refuses "$1_run" 3 "spate: scene.json: $2" run scene.json -o folder
    holds "$1_no_folder" test ! -e folder
}

refuses missing_file 4 "spate: nowhere.json: cannot be opened: No such file or directory" check \
    nowhere.json

bad broken_json "line 3, column 3: '}' expected near '\"frames\"'" <<'END'
{
  "domain": { "size": [1, 1], "cells": 8 }
  "frames": 3
}
END
bad trailing_garbage "line 2, column 1: end of file expected near 'x'" <<'END'
{ "domain": { "size": [1, 1] } }
x
END
bad unknown_key "fluid.flip_rato: unknown setting; did you mean 'flip_ratio'?" <<'END'
{ "domain": { "size": [1, 1] }, "fluid": { "flip_rato": 0.9 } }
END
bad unknown_key_in_list "solids[0].radios: unknown setting; did you mean 'radius'?" <<'END'
{ "domain": { "size": [1, 1] }, "solids": [ { "shape": "sphere", "center": [0, 0], "radios": 1 } ] }
END
bad wrong_type "frames: must be a whole number (got a string)" <<'END'
{ "domain": { "size": [1, 1] }, "frames": "many" }
END
bad wrong_length "gravity: must have 2 numbers in a 2D scene (got 3)" <<'END'
{ "domain": { "size": [1, 1] }, "gravity": [0, -9.81, 0] }
END
bad negative_size "domain.size: must be positive (got -1)" <<'END'
{ "domain": { "size": [1, -1, 1] } }
END
bad zero_cells "domain.cells: must be at least 1 (got 0)" <<'END'
{ "domain": { "size": [1, 1], "cells": 0 } }
END
bad negative_radius "solids[0].radius: must be positive (got -1)" <<'END'
{ "domain": { "size": [1, 1, 1] }, "solids": [ { "shape": "sphere", "center": [0, 0, 0], "radius": -1 } ] }
END
bad too_many_cells \
    "domain.cells: gives 68719476736 cells in all, at most 2147483647 are possible: use larger \
cells" <<'END'
{ "domain": { "size": [1, 1, 1], "cells": 4096 } }
END
bad wrong_choice 'fluid.transfer: must be one of flip, pic, apic, aflip, auto (got "flup"; did you mean "flip"?)' <<'END'
{ "domain": { "size": [1, 1] }, "fluid": { "transfer": "flup" } }
END
bad missing_radius "solids[0].radius: is required for a sphere" <<'END'
{ "domain": { "size": [1, 1] }, "solids": [ { "shape": "sphere", "center": [0, 0] } ] }
END
bad not_finite "line 1, column 40: invalid token near 'NaN'" <<'END'
{ "domain": { "size": [1, 1] }, "fps": NaN }
END
bad overflow "line 1, column 40: real number overflow near '1e999'" <<'END'
{ "domain": { "size": [1, 1] }, "fps": 1e999 }
END

cat >scene.json <<'END'
{ "domain": { "size": [1, 1, 1], "cells": 8 }, "solids": [ { "shape": "mesh", "file": "rock.obj" } ] }
END
refuses missing_mesh 4 \
    "spate: scene.json: solids[0].file: rock.obj: cannot be opened: No such file or directory" \
    check scene.json
cat >rock.obj <<'END'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
END
refuses mesh_with_holes 3 \
    "spate: scene.json: solids[0].file: rock.obj: the mesh has 3 open edges (first near (0, 0.5, \
0)): close its holes" check scene.json
echo "v 0 0 nan" >>rock.obj
spate check scene.json
holds mesh_not_finite grep -q "^spate: scene.json: solids\[0\].file: " <<<"$err"

scene_2d 2 >dam.json
refuses set_unknown 3 "spate: --set: fluid.flip_rato: unknown setting; did you mean 'flip_ratio'?" \
    check dam.json --set fluid.flip_rato=0.9
refuses set_infinite 3 "spate: --set: fps: must be a finite number (got inf)" check dam.json \
    --set fps=inf
refuses set_no_value 2 "spate: --set: fps: must be written as path=value" check dam.json --set fps

# Far more memory than any machine has, but a scene that is in order: refused before anything is
# allocated. The numbers of this machine are blanked out.
cat >huge.json <<'END'
{ "domain": { "size": [1, 1, 1], "cells": 1290 },
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [1, 1, 1] } ] }
END
too_large="spate: huge.json: needs at least # of memory, # are available: use fewer cells, a \
smaller domain or fewer particles per axis"
for command in "check huge.json" "run huge.json -o folder"; do
    spate $command
    same "too_large_${command%% *}" "5 $too_large" "$code $(sed -E 's/[0-9.]+ [kMGTPE]?B/#/g' \
    <<<"$err")"
done
holds too_large_no_folder test ! -e folder
finish
