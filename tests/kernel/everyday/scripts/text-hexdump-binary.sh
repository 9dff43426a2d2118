# Writes binary formats by printf and reads them by od, xxd and dd.
le32() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"; }
{ printf 'BM'; le32 70; le32 0; le32 54; } > h.bin
od -An -tx1 h.bin; od -An -c -N2 h.bin; od -An -tu4 -j2 -N4 h.bin; stat -c %s h.bin
xxd h.bin; xxd -p h.bin; xxd -p h.bin | xxd -r -p | cmp - h.bin && echo same
dd if=h.bin bs=1 skip=2 count=4 status=none | od -An -tu1
printf 'ABCD' | dd of=h.bin bs=1 seek=6 conv=notrunc status=none; strings -n 3 h.bin; hexdump -C h.bin
LC_ALL=C awk 'BEGIN { for (i = 65; i < 70; i++) printf "%c", i; print "" }'
head -c 4 h.bin | base64; printf '%d %d\n' "'A" "'é"; printf '\u00e9\n' | od -An -tx1
