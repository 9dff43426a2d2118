# Process substitutions for input and output.
diff <(sort text/words.txt) <(sort -u text/words.txt) | grep -c '^<'
paste <(cut -d, -f1 data/departments.csv) <(cut -d, -f2 data/departments.csv)
seq 1 6 | tee >(awk '{ s += $1 } END { print s }' > sum.txt) > /dev/null
until [ -s sum.txt ]; do sleep 0.05; done
cat sum.txt
