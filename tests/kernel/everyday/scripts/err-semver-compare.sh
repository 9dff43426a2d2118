# Compare versions.
verlt() { [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -1)" = "$1" ]; }
for pair in "1.2.3 1.10.0" "2.0.0 2.0.0" "0.9 0.8.9"; do
  set -- $pair
  if verlt "$1" "$2"; then echo "$1 < $2"; else echo "$1 >= $2"; fi
done
[[ 1.4.2-rc1 =~ ^([0-9]+)\.([0-9]+)\.([0-9]+)(-(.+))?$ ]] && echo "${BASH_REMATCH[*]:1:3} pre=${BASH_REMATCH[5]}"
