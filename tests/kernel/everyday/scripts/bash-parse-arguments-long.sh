# Long options with = and with a space, repeated options, and a rest.
parse() {
  local -a tags=() rest=(); local output= dry=false level=info
  while (($#)); do
    case $1 in
      --output=*) output=${1#*=} ;;
      --output | -o) output=${2:?--output needs a value}; shift ;;
      --tag=*) IFS=, read -ra more <<< "${1#*=}"; tags+=("${more[@]}") ;;
      --dry-run | -n) dry=true ;;
      --level) level=$2; shift ;;
      --) shift; rest+=("$@"); break ;;
      -*) echo "unknown: $1" >&2; return 2 ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  declare -p tags rest output dry level
}
parse --output=x.txt --tag=a,b --tag=c file1 -n -- --not-an-option
parse --level debug 'two words' -o 'out put'
parse --bad; echo "status $?"
(parse --output); echo "status $?"
