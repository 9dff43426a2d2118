# Expands cron fields and prints the next runs within a day.
expand() { local field=$1 min=$2 max=$3 part out=(); IFS=, read -ra parts <<< "$field"
  for part in "${parts[@]}"; do local step=1 from to; [[ $part == */* ]] && { step=${part#*/}; part=${part%/*}; }
    case $part in '*') from=$min to=$max ;; *-*) from=${part%-*} to=${part#*-} ;; *) from=$part to=$part ;; esac
    local v; for ((v = from; v <= to; v += step)); do out+=("$v"); done; done
  printf '%s\n' "${out[@]}" | sort -nu | paste -sd' '; }
set -f
while read -r m h _ _ _ cmd; do echo "$cmd: minutes $(expand "$m" 0 59 | cut -c1-30) hours $(expand "$h" 0 23)"; done <<'CRON'
*/15 2-4 * * * backup --all
0,30 */6 * * * report
5 1 * * 1 clean up
CRON
set +f
for m in $(expand '*/20' 0 59); do for h in 1 2; do printf '%02d:%02d ' "$h" "$m"; done; done; echo
