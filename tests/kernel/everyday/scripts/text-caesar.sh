# ROT13 and character counts.
echo 'Hello' | tr 'A-Za-z' 'N-ZA-Mn-za-m'
grep -o . <<< "mississippi" | sort | uniq -c | awk '{ printf "%s%d ", $2, $1 } END { print "" }'
fold -w1 <<< "abc" | paste -sd'-'
printf '%d\n' "'A"; printf "\\$(printf %o 66)\n"
