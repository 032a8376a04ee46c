# The commands and options themselves: versions, help, slips of the pen, exit code 2.
. "${0%/*}/lib.sh"
scene_2d 2 >dam.json

spate --version
same version "spate $version" "$(head -n 1 <<<"$out")"
holds version_devices grep -Eqx 'devices: cpu \((base|x86-64-v[34])\)(, cuda \(.*\))?' \
    <<<"$(sed -n 2p <<<"$out")"
holds version_compiler grep -Eqx 'compiler: (gcc|clang) [0-9.]+' <<<"$(sed -n 3p <<<"$out")"
out=$(SPATE_CPU=base "$SPATE" --version)
holds version_base grep -q 'cpu (base)' <<<"$out"

refuses no_command 2 "spate: a command is missing; 'spate help' lists them"
refuses unknown_command 2 "spate: rum: unknown command; did you mean 'run'?" rum
refuses unknown_command_far 2 "spate: frobnicate: unknown command (see 'spate help')" frobnicate
refuses unknown_option 2 "spate: --resum: unknown option of 'spate run'; did you mean \
'--resume'?" run dam.json --resum
refuses unknown_option_far 2 "spate: --xyzzy: unknown option (see 'spate check --help')" check \
    dam.json --xyzzy
refuses unknown_letter 2 "spate: -x: unknown option (see 'spate run --help')" run -x dam.json
refuses no_value 2 "spate: --output: needs a value (see 'spate run --help')" run dam.json -o
refuses flag_with_value 2 "spate: --json: takes no value (see 'spate run --help')" run dam.json \
    --json=yes
refuses no_number 2 \
    "spate: --threads: must be a whole number of at least 1 (got 'two') (see 'spate run --help')" \
    run dam.json --threads two
refuses no_threads 2 \
    "spate: --threads: must be a whole number of at least 1 (got '0') (see 'spate run --help')" \
    run dam.json --threads 0
refuses negative_frames 2 \
    "spate: --frames: must be a whole number of at least 0 (got '-1') (see 'spate run --help')" \
    run dam.json --frames=-1
refuses no_scene 2 "spate: SCENE: is missing (see 'spate run --help')" run
refuses no_scene_check 2 "spate: SCENE: is missing (see 'spate check --help')" check
refuses no_folder_info 2 "spate: DIR: is missing (see 'spate info --help')" info
refuses two_scenes 2 "spate: dam.json: one argument too many (see 'spate run --help')" run \
    dam.json dam.json
refuses overwrite_and_resume 2 "spate: --overwrite and --resume exclude each other" run dam.json \
    --overwrite --resume
refuses no_preset 2 "spate: dam_brek: there is no such preset; did you mean 'dam_break'?" new dam_brek
devices=$("$SPATE" --version | sed -n '2s/^devices: //p' | sed 's/ ([^()]*\(([^()]*)[^()]*\)*)//g')
refuses no_device 6 \
    "spate: dam.json: device: there is no device 'toaster' in this build; there is: $devices" \
    run dam.json --device toaster -o none
holds no_device_no_folder test ! -e none

# docs/scene.md is the table of settings as this build prints it
holds scene_page_current cmp -s <("$SPATE" help scene --markdown) "$SPATE_SOURCE/docs/scene.md"

for command in run check new info export bench serve; do
    spate $command --help
    holds "help_$command" grep -q "^usage: spate $command" <<<"$out"
    same "help_${command}_code" "0 $out" "$code $("$SPATE" help $command)"
done
if [ -e /dev/full ]; then
    "$SPATE" --version >/dev/full 2>err
    same full_stdout "4 spate: standard output: cannot write" "$? $(cat err)"
fi
finish
