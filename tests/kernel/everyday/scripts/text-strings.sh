# Texts in a binary file.
{ head -c 20 /dev/zero; printf 'hello world'; printf '\x01\x02ab\x00version 1.2\x00'; } > blob
strings blob
strings -n 8 blob | wc -l
grep -c hello blob
grep -a -o 'version [0-9.]*' blob
