# Long options in a loop.
main() {
  local dry=false name=world
  while (( $# )); do
    case $1 in
      --dry-run) dry=true; shift ;;
      --name=*) name=${1#*=}; shift ;;
      --name) name=${2:?--name needs a value}; shift 2 ;;
      --) shift; break ;;
      -*) echo "unknown option: $1" >&2; return 64 ;;
      *) break ;;
    esac
  done
  echo "dry=$dry name=$name args=$#"
}
main --dry-run --name=x a b
main --name y -- --z
main --what 2> /dev/null || exit $?
