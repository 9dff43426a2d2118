# Extended patterns.
shopt -s extglob
echo config/!(*.json|*.yaml)
echo data/@(users|orders).json
for v in 12 1.5 abc 007; do
  case $v in
    +([0-9])) echo "$v digits" ;;
    +([0-9]).+([0-9])) echo "$v decimal" ;;
    *) echo "$v other" ;;
  esac
done
s='  padded  '; s=${s##+([[:space:]])}; echo "[${s%%+([[:space:]])}]"
