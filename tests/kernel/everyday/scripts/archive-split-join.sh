# Split a file and put it together again.
seq 1 1000 > big.txt
split -b 1000 -d big.txt part.
ls part.* | paste -sd' '
cat part.* | cmp - big.txt && rm part.*
split -l 400 --additional-suffix=.txt big.txt lines-
wc -l lines-*
