# Counts.
wc text/poem.txt
wc -l text/words.txt text/people.txt
wc -m < text/people.txt
wc -c < text/people.txt
wc -L text/poem.txt
