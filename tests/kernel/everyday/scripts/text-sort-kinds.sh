# Kinds of sorting.
printf '%s\n' 10 9 2 33 1 | sort -n | paste -sd' '
printf '%s\n' v1.10 v1.9 v1.2 v2.0 | sort -V | paste -sd' '
printf '%s\n' 2K 1M 512 3G | sort -h | paste -sd' '
printf '%s\n' b A a B | LC_ALL=C sort | paste -sd' '
printf '%s\n' b A a B | sort -f | paste -sd' '
printf '%s\n' Mar Jan Feb | sort -M | paste -sd' '
sort -c text/words.txt 2> /dev/null || echo "not sorted"
sort -u -r text/words.txt | head -2
