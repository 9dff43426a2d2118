# Sizes of files.
head -c 3000 /dev/zero > a.bin; head -c 100 /dev/urandom > b.bin; truncate -s 2K c.bin
stat -c '%s %n' *.bin
wc -c *.bin | tail -1
du -b a.bin | cut -f1
du -sb --apparent-size config | awk '{ print ($1 > 1000) ? "large" : "small" }'
ls -lS *.bin | awk '{ print $5, $NF }'
rm b.bin
