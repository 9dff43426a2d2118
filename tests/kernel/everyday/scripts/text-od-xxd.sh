# Bytes of a text.
printf 'AB\n\x00\xff' > bin
xxd bin
xxd -p bin
od -An -tx1 bin
od -c bin
hexdump -C bin
echo 48656c6c6f | xxd -r -p; echo
