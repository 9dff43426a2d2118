# Parts of files.
head -n -6 text/poem.txt
tail -n +8 text/poem.txt
head -c 5 text/poem.txt; echo
tail -c 6 text/poem.txt
sed -n '3,4p' text/poem.txt
awk 'NR % 4 == 1' text/poem.txt
head -1 text/words.txt text/people.txt
