# Blocks by dd.
dd if=/dev/zero of=z.bin bs=512 count=4 2> /dev/null
stat -c %s z.bin
printf 'abcdefghij' > s; dd if=s bs=1 skip=3 count=4 2> /dev/null; echo
printf 'XY' | dd of=s bs=1 seek=2 conv=notrunc 2> /dev/null; cat s; echo
