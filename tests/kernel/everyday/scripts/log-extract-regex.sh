# Parse lines by a regular expression of bash.
re='^([0-9.]+) - ([^ ]+) \[([^]]+)\] "([A-Z]+) ([^ ]+) [^"]+" ([0-9]{3}) ([0-9]+)'
while IFS= read -r line; do
  [[ $line =~ $re ]] || continue
  (( BASH_REMATCH[6] >= 400 )) && echo "${BASH_REMATCH[4]} ${BASH_REMATCH[5]} -> ${BASH_REMATCH[6]} (${BASH_REMATCH[2]/#-/anonymous})"
done < logs/access.log
true
