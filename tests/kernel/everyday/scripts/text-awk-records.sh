# Paragraphs and other separators.
awk 'BEGIN { RS = ""; FS = "\n" } { print NR ": " $1 " (" NF " lines)" }' text/poem.txt
printf 'a=1;b=2;c=3' | awk 'BEGIN { RS = ";"; FS = "=" } { s += $2 } END { print s }'
awk '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? OFS : ORS) }' text/poem.txt | head -2
awk -F'[|,]' -v OFS='\t' '{ $1 = $1; print }' text/people.txt
