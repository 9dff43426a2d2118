#### getopts with values
set -- -v -n 5 -o out.txt --  in1 in2
verbose=0 count=1 output=
while getopts ":vn:o:h" opt; do
  case $opt in
    v) verbose=1 ;;
    n) count=$OPTARG ;;
    o) output=$OPTARG ;;
    h) echo help; exit 0 ;;
    \?) echo "invalid: -$OPTARG" >&2; exit 2 ;;
    :) echo "needs a value: -$OPTARG" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
echo "verbose=$verbose count=$count output=$output rest=$* optind=$OPTIND"

#### getopts and what is wrong
parse() {
  local OPTIND=1 opt
  while getopts ":ab:" opt; do
    case "$opt" in
      a) echo a ;;
      b) echo "b=$OPTARG" ;;
      \?) echo "bad $OPTARG"; return 2 ;;
      :) echo "missing $OPTARG"; return 3 ;;
    esac
  done
  shift $((OPTIND - 1))
  echo "rest: $*"
}
parse -a -b 1 x y; echo $?
parse -ab1 x; echo $?
parse -z; echo $?
parse -b; echo $?
parse -- -a; echo $?
parse x -a; echo $?

#### getopts that complains itself
while getopts "ab:" opt; do echo "$opt ${OPTARG-none}"; done <<< "" 
set -- -a -x -b
while getopts "ab:" opt; do echo "$opt ${OPTARG-none}"; done
echo $OPTIND

#### long options with while and case
set -euo pipefail
set -- --name=value --flag --output file.txt -v -v -- rest --not-an-option
name= flag=false output= verbosity=0
positional=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --name=*) name="${1#*=}"; shift ;;
    --name) name="$2"; shift 2 ;;
    -f|--flag) flag=true; shift ;;
    -o|--output)
      [[ $# -ge 2 ]] || { echo "--output needs a value" >&2; exit 1; }
      output="$2"
      shift 2
      ;;
    -v) verbosity=$((verbosity + 1)); shift ;;
    --) shift; positional+=("$@"); break ;;
    -*) echo "unknown option: $1" >&2; exit 1 ;;
    *) positional+=("$1"); shift ;;
  esac
done
set -- "${positional[@]}"
echo "name=$name flag=$flag output=$output v=$verbosity left=$#: $*"

#### an unknown option ends with usage
usage() { echo "usage: tool [--dry-run] CMD" >&2; exit "${1:-0}"; }
main() {
  while (( $# )); do
    case $1 in
      --dry-run) dry=1 ;;
      -h|--help) usage ;;
      -?*) printf 'unknown: %s\n' "$1" >&2; usage 64 ;;
      *) break ;;
    esac
    shift
  done
  echo "cmd: ${1:-none}"
}
main --dry-run build
main
main --wrong

#### subcommands by function name
cmd_add() { echo "adding: $*"; }
cmd_list() { echo "listing ${1:-all}"; }
cmd_help() { declare -F | sed -n 's/^declare -f cmd_/  /p'; }
dispatch() {
  local sub=${1:-help}
  shift || true
  if declare -F "cmd_$sub" >/dev/null; then
    "cmd_$sub" "$@"
  else
    echo "no such command: $sub" >&2
    return 127
  fi
}
dispatch add a 'b c'
dispatch list
dispatch
dispatch frobnicate; echo $?
type -t cmd_add dispatch sed if nosuch

#### all arguments, quoted and not
show() { printf '%d:' $#; printf ' [%s]' "$@"; echo; }
set -- 'a b' '' c
show "$@"
show $@
show "$*"
show $*
IFS=,
show "$*"
show $*
unset IFS
show "x$@y"
show "${@:2}"
show "${@: -1}"
show "${@:1:2}"
show "${!#}" "${#}" "${@#a}"
for a; do echo "for $a"; done
for a in "${@/#/-}"; do echo "with $a"; done

#### arguments shifted by twos
set -- k1 v1 k2 v2 odd
while [ $# -ge 2 ]; do
  echo "$1=$2"
  shift 2
done
echo "left: $*"
shift 5; echo $?
shift; shift; echo $?

#### options collected for another program
set -eu
quiet=1
color=
opts=(-r)
[ -n "$quiet" ] && opts+=(-n)
[ -n "$color" ] && opts+=(--color) || :
printf '3\n1\n2\n' | sort "${opts[@]}"
extra=()
printf '%s\n' x ${extra[@]+"${extra[@]}"} y
set -- ${opts+"${opts[@]}"}
echo $#

#### an argument file
cat > args.txt <<'A'
--name "not split"
# comment
--level 3

A
args=()
while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  args+=("${line%% *}" "${line#* }")
done < args.txt
printf '<%s>' "${args[@]}"; echo

#### more than nine arguments
set -- a b c d e f g h i j k
echo "$10 ${10} ${11} $#"
f() { echo "${@:10:1} ${*: -2:1}"; }
f "$@"
eval "last=\${$#}"
echo "$last"

#### flags as words
is_true() { case "${1,,}" in 1|y|yes|true|on) return 0 ;; *) return 1 ;; esac; }
for v in yes NO True off On 1 0 ''; do
  if is_true "$v"; then echo "[$v] true"; else echo "[$v] false"; fi
done

#### numbers are validated
is_int() { [[ $1 =~ ^[+-]?[0-9]+$ ]]; }
for n in 5 -3 +7 2.5 abc '' '1 2' 08; do
  if is_int "$n"; then echo "$n: $((10#${n#[+-]} * 2))"; else echo "$n: no"; fi
done
[ abc -eq 1 ] 2>/dev/null; echo $?
[[ 08 -eq 8 ]] 2>/dev/null; echo $?

#### defaults from the environment
PORT=${PORT:-8080}
HOST=${HOST-localhost}
EMPTY=
echo "$PORT $HOST [${EMPTY:-was empty}] [${EMPTY-unset}]"
PORT=9 sh -c 'echo ${PORT:-none}'
export PORT
sh -c 'echo $PORT'
env -i PATH="$PATH" sh -c 'echo ${PORT:-none}'
env PORT=7 sh -c 'echo $PORT'

#### a positional list rebuilt
set -- --keep a --drop b c
out=()
for arg do
  case $arg in --drop) skip=1; continue ;; esac
  if [ "${skip-}" ]; then skip=; continue; fi
  out+=("$arg")
done
set -- "${out[@]}"
echo "$# $*"
set -- "first" "$@" "last"
echo "$@"
set --
echo $#
