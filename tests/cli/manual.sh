# The manual page and the completions: they are whole, and say what the command takes.
. "${0%/*}/lib.sh"
commands="run check new info mesh render plot export bench serve help"
"$SPATE" help --man >spate.1
for command in $commands; do
    holds "man_$command" grep -qx "\.SS $command" spate.1
done
holds man_option grep -q 'overwrite' spate.1
if command -v groff >/dev/null; then
    same man_is_roff "" "$(groff -man -ww -Tascii -z spate.1 2>&1)"
else
    skip man_is_roff "there is no groff here"
fi

"$SPATE" help --complete bash >spate.bash
# complete WORD...: what bash offers for the last word
complete_words() {
    bash -c 'complete() { :; }; compopt() { :; }; . ./spate.bash; COMP_WORDS=(spate "$@"); COMP_CWORD=$#
        _spate; echo ${COMPREPLY[*]}' - "$@" 2>&1
}
same complete_command "run render" "$(complete_words r)"
same complete_option "--overwrite --output" "$(complete_words run --o | tr ' ' '\n' | sort -r | tr '\n' ' ' | sed 's/ $//')"
same complete_preset "dam_break dam_break_2d" "$(complete_words new dam)"
same complete_topic "scene sweep serve" "$(complete_words help s)"
touch "a scene.json"
same complete_file "a scene.json" "$(complete_words check a)"
# every option that --help names is offered, and the other way round
for command in $commands; do
    told=$("$SPATE" $command --help | grep -oE '(^|[ ,(|])--[a-z][a-z_-]+' | grep -oE -- '--[a-z_-]+' | sort -u)
    offered=$(complete_words $command -- | tr ' ' '\n' | grep -- -- | sort -u)
    same "options_of_$command" "" "$(comm -3 <(echo "$told") <(echo "$offered") | tr -d '\t' |
        tr '\n' ' ')"
done

"$SPATE" help --complete zsh >_spate
holds zsh_head grep -qx '#compdef spate' <(head -n 1 _spate)
if command -v zsh >/dev/null; then
    same zsh_reads_it "" "$(zsh -n _spate 2>&1)"
else
    skip zsh_reads_it "there is no zsh here"
fi
refuses other_shell 2 "spate: --complete: must be bash or zsh (got 'fish')" help --complete fish
finish
