# Joins stack traces with their first line, and counts by exception.
awk '/^[0-9]{4}-/ { if (r) print r; r = $0; next } { r = r " | " $0 } END { print r }' logs/app.log > joined.txt
grep -c ' | ' joined.txt
sed -nE 's/.* \| ([A-Za-z.]+(Exception|Error)).*/\1/p' joined.txt | sort | uniq -c | sed 's/^ *//'
awk -F'[][]' '{ print $2 }' joined.txt | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd,
while IFS= read -r line; do [[ $line =~ ^([0-9-]+)\ ([0-9:.]+)\ ([A-Z]+) ]] && echo "${BASH_REMATCH[3]} ${BASH_REMATCH[2]%%.*}"; done < joined.txt | sort | head -4
tac logs/app.log | awk '/ERROR/ && !n++ { print "last error: " $0 }'
