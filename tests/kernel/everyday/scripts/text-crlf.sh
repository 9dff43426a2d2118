# Line ends of Windows.
printf 'a\r\nb\r\n' > w.txt
grep -c $'\r' w.txt
tr -d '\r' < w.txt | od -c | head -1
sed -i 's/\r$//' w.txt; wc -c < w.txt
file w.txt
sed 's/$/\r/' w.txt | xxd | head -1
