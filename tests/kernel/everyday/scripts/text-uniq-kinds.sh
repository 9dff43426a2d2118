# Kinds of uniq.
sort text/words.txt | uniq -c | awk '{ print $1, $2 }'
sort text/words.txt | uniq -u | paste -sd,
sort text/words.txt | uniq -d | paste -sd,
printf 'a 1\nb 1\nc 2\n' | uniq -f1
printf 'A\na\nb\n' | uniq -i
awk '!seen[$0]++' text/words.txt | head -3
