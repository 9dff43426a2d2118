# Updates rows of one table by another, keeps the order, reports what changed.
printf 'sku,stock\npad,40\nink,8\nnew,1\n' > update.csv
awk -F'[,\t]' -v OFS='\t' '
FNR == NR { if (FNR > 1) up[$1] = $2; next }
FNR == 1 { print; next }
$1 in up { if ($3 != up[$1]) { print $1 ": " $3 " -> " up[$1] > "/dev/stderr"; $3 = up[$1] } delete up[$1] }
{ print }
END { for (k in up) print k ": not in the table" > "/dev/stderr" }' update.csv data/products.tsv > products.new 2> changes.txt
cat products.new changes.txt
cmp -s products.new data/products.tsv || echo "differs: $(diff data/products.tsv products.new | grep -c '^>') lines"
