# Clean a CSV of Windows: BOM and CRLF.
printf '\xef\xbb\xbfname,age\r\nanna,3\r\nbob,4\r\n' > win.csv
sed -e '1s/^\xef\xbb\xbf//' -e 's/\r$//' win.csv > unix.csv
od -c unix.csv | head -2
awk -F, 'NR > 1 { s += $2 } END { print s }' unix.csv
