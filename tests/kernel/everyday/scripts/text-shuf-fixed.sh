# Shuffled lines are the same lines.
shuf text/words.txt | sort | cmp - <(sort text/words.txt) && echo same
shuf -n 3 text/words.txt | wc -l
shuf -i 1-10 | sort -n | paste -sd' '
