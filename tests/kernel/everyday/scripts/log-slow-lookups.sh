# Slow operations with their milliseconds.
grep -oE 'took=[0-9]+ms' logs/app.log | tr -dc '0-9\n' | sort -n | awk '{ a[NR] = $1; s += $1 } END { print "n=" NR, "max=" a[NR], "avg=" s / NR }'
sed -nE 's/.*took=([0-9]+)ms.*/\1/p' logs/app.log | paste -sd+ | sed 's/.*/echo $((&))/' | bash
