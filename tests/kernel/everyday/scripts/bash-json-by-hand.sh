# JSON by printf, with escapes.
esc() { local s=${1//\\/\\\\}; s=${s//\"/\\\"}; s=${s//$'\n'/\\n}; printf '%s' "$s"; }
sep=
printf '['
while IFS='|' read -r name city; do
  printf '%s{"name":"%s","city":"%s"}' "$sep" "$(esc "$name")" "$(esc "$city")"; sep=,
done < text/people.txt
printf ']\n'
esc $'quote " back \\ line\nend'; echo
