# A report with awk's formats.
awk 'BEGIN { FS = "\t"; print "Stock"; print "-----" }
NR > 1 { v = $3 * $4; total += v; printf "%-10s %5d x %6.2f = %8.2f\n", $2, $3, $4, v }
END { printf "%29s %8.2f\n", "total", total }' data/products.tsv
