# Words: counts, longest, anagrams, n-grams, initials.
tr -cs "[:alpha:]" '\n' < text/poem.txt | grep . | tr '[:upper:]' '[:lower:]' > w
sort w | uniq -c | sort -k1,1nr -k2 | head -3 | awk '{printf "%s:%d ", $2, $1} END {print ""}'
awk '{ print length, $0 }' w | sort -k1,1nr -k2 -u | head -2
paste w <(tail -n +2 w) | grep -P '\t.' | sort | uniq -c | sort -rn | head -1 | sed 's/^ *//'
while read -r x; do echo "$(grep -o . <<< "$x" | sort | tr -d '\n') $x"; done < text/words.txt | sort | awk '{a[$1] = a[$1] " " $2; n[$1]++} END {for (k in a) if (n[k] > 1) print n[k] a[k]}' | sort
cut -c1 w | sort | uniq -c | sort -k1,1nr -k2 | awk '{printf "%s%d ", $2, $1}' | cut -c1-20
fold -s -w 40 text/long.txt | sed 's/ *$//' | nl -w2 -s'| '
grep -vn '^$' text/poem.txt | awk -F: '{ n = split($2, p, " "); print $1, n, p[n] }' | head -3
