# Number, reverse and mirror lines.
nl -ba text/poem.txt | head -6
nl -w2 -s'. ' text/words.txt | tail -2
tac text/words.txt | head -2
rev text/words.txt | head -1
cat -n text/words.txt | sed -n '2p'
