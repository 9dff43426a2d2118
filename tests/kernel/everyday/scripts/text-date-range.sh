# A loop over days.
d=2024-02-27
until [[ $d > 2024-03-02 ]]; do
  printf '%s %s\n' "$d" "$(date -d "$d" +%a)"
  d=$(date -I -d "$d + 1 day")
done
