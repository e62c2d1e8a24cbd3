# fish asks the completion of bash.
set -g __muster_bash '@BASH@
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_muster_complete "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "" 2>/dev/null
printf "%s\n" "${COMPREPLY[@]}"'

function __muster_complete
    set -l found (printf '%s\n' $__muster_bash | bash --norc -s -- (commandline -cp | string collect) | string match -v '')
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c muster -f -a '(__muster_complete)'
