# Create many files and select some.
mkdir many && cd many
for i in $(seq 1 100); do echo "$i" > "f$(printf %03d "$i").txt"; done
ls | wc -l
cat f0[0-4]?.txt | awk '{ s += $1 } END { print s }'
ls | awk 'NR % 25 == 0' | xargs cat | paste -sd' '
rm f0*.txt; ls | head -2
find . -name '*.txt' -delete; ls -A | wc -l
