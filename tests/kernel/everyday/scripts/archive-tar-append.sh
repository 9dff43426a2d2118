# Append to an archive and list it in detail.
tar -cf a.tar data/numbers.txt
tar -rf a.tar text/words.txt
tar -tvf a.tar | awk '{ print $3, $NF }'
