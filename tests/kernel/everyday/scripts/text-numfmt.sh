# Numbers for people.
numfmt --to=iec 1024 1048576 1500
numfmt --to=si 1500 2500000
numfmt --from=iec 2K 1M
echo '1500 bytes' | numfmt --to=iec-i --suffix=B
printf '%s\n' 1234567 | numfmt --grouping 2> /dev/null
find src -name '*.js' -printf '%s\n' | awk '{ s += $1 } END { print s }' | numfmt --to=iec
