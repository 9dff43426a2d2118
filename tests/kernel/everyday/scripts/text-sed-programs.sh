# Well-known programs of sed.
sed '$!d' text/words.txt
sed -n '$=' text/words.txt
sed G text/words.txt | head -4
sed -n '1!G;h;$p' text/words.txt | head -2
sed '/apple/{s//APPLE/;q}' text/words.txt
sed -e :a -e '$!N;s/\n/,/;ta' text/words.txt
sed 'y/abc/xyz/;s/e$/E/2;s/p/P/2' text/words.txt | head -3
sed = text/words.txt | sed 'N;s/\n/\t/' | tail -1
