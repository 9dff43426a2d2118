# Options by getopts.
parse() {
  local OPTIND=1 verbose=0 out= opt
  while getopts ':vo:h' opt; do
    case $opt in
      v) (( verbose++ )) ;;
      o) out=$OPTARG ;;
      h) echo usage; return 0 ;;
      :) echo "-$OPTARG needs a value"; return 2 ;;
      \?) echo "unknown -$OPTARG"; return 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  echo "verbose=$verbose out=$out rest=$*"
}
parse -vv -o file a b
parse -vofile -- -x
parse -o; echo $?
parse -z; echo $?
