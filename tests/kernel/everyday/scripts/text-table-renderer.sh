# Draws a box around a table, with widths of letters that are not ASCII.
draw() {
  awk -F'|' '{ for (i = 1; i <= NF; i++) { c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i) } if (NF > m) m = NF }
  function rule(   i, s, j) { s = "+"; for (i = 1; i <= m; i++) { for (j = 0; j < w[i] + 2; j++) s = s "-"; s = s "+" } print s }
  END { rule(); for (r = 1; r <= NR; r++) { printf "|"; for (i = 1; i <= m; i++) printf " %-*s |", w[i], c[r, i]; print ""; if (r == 1) rule() } rule() }'
}
cut -d, -f1-3 data/employees.csv | tr , '|' | draw
sort -t$'\t' -k4,4nr data/products.tsv | cut -f1,4 | tr '\t' '|' | draw | head -4
printf 'name|town\n%s\n' "$(cat text/people.txt)" | column -t -s'|' -o ' : ' | head -2
