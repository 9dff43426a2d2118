# The longest lines of the sources.
awk '{ if (length($0) > max[FILENAME]) { max[FILENAME] = length($0); at[FILENAME] = FNR } } END { for (f in max) print max[f], f ":" at[f] }' $(find src -name '*.js' ! -name '* *') | sort -rn | head -3
