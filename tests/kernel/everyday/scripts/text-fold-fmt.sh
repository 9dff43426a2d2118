# Wrap long lines.
fold -w 40 text/long.txt
fold -s -w 40 text/long.txt | sed 's/ *$//'
fmt -w 50 text/long.txt
