# Pairs of neighbouring lines.
paste -d' ' text/words.txt <(tail -n +2 text/words.txt) | head -n -1 | sort | uniq -c | sort -k1,1nr -k2 | head -2
awk 'NR > 1 { print prev "->" $0 } { prev = $0 }' text/words.txt | tail -2
