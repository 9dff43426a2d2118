# Turn lines of text into a JSON array.
jq -R . text/words.txt | jq -sc 'unique'
jq -Rn '[inputs | select(length > 4)] | length' text/words.txt
