# Where do two files differ?
printf 'hello world\n' > a.bin
printf 'hello World\n' > b.bin
cmp a.bin b.bin; echo "exit $?"
cmp -s a.bin a.bin && echo equal
cmp -l a.bin b.bin
