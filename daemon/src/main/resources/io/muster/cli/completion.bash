
# Prints the words of a kind that the daemon knows and that begin as typed: a file has them for ten seconds.
# Arguments: the command, the kind, the beginning, what stands before each word, and how many characters of that to leave out.
function _muster_words() {
  sh -c '@WORDS@' muster-words "$@"
}

# Sets spec to the options of a verb that take a value, each as NAME=KIND, and kinds to the kinds of its arguments.
function _muster_spec() {
  case "$1" in
@SPECS@
  esac
}

# Completes words that the daemon knows, and leaves everything else to _complete_muster.
function _muster_complete() {
  local rest="${COMP_LINE:0:${COMP_POINT:-${#COMP_LINE}}}" word="" verb="" option="" spec="" kinds="" kind="" tail="" count=0
  rest="${rest#* }"
  while [[ "${rest}" == *' '* ]]; do
    word="${rest%%' '*}" rest="${rest#*' '}"
    if [[ -z "${word}" ]]; then
      continue
    elif [[ -n "${option}" ]]; then
      option=""
    elif [[ "${word}" == --uri* ]]; then
      kinds="-" spec="" # the words of another daemon are not known
    elif [[ "${word}" == -* ]]; then
      [[ "${spec}" == *" ${word}="* ]] && option="${word}"
    elif [[ -z "${kinds}" ]]; then
      verb="${verb:+${verb} }${word}"
      _muster_spec "${verb}"
    else
      count=$((count + 1))
    fi
  done
  tail="${rest}"
  if [[ "${rest}" == --*=* ]]; then
    option="${rest%%=*}" tail="${rest#*=}"
  fi
  if [[ -n "${option}" && "${spec}" == *" ${option}="* ]]; then
    kind="${spec#*" ${option}="}" kind="${kind%% *}"
  elif [[ "${rest}" != -* ]]; then
    while [[ "${count}" -gt 0 && "${kinds%% *}" != *'*' ]]; do
      kinds="${kinds#* } -" count=$((count - 1))
    done
    kind="${kinds%% *}" kind="${kind%'*'}"
  fi
  if [[ -z "${kind}" || "${kind}" == - ]]; then
    _complete_muster "$@"
    return
  fi
  type compopt &>/dev/null && compopt +o default 2>/dev/null
  tail="${tail##*,}"
  word="${rest%"$2"}" # the shell replaces only $2, which may begin after a character such as @
  COMPREPLY=()
  # Read line by line: the shell would take unquoted words such as n[1-3],n7 as patterns of files.
  while IFS= read -r word; do
    [[ -z "${word}" ]] || COMPREPLY+=( "${word}" )
  done <<< "$(_muster_words "$1" "${kind}" "${tail}" "${rest%"${tail}"}" "${#word}")"
}

complete -F _muster_complete -o default muster muster.sh muster.bash
