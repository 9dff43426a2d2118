# Cut and paste columns.
cut -c1-5 text/words.txt | head -2
cut -d: -f1,3 <<< "a:b:c:d"
cut -d' ' -f2- --output-delimiter=_ <<< "w x y z"
cut -f1 --complement data/products.tsv | head -2
paste -d, - - - < <(seq 1 6)
paste -s -d'+' <(seq 1 4)
