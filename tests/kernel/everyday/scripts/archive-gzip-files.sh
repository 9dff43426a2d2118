# Compress and uncompress files.
cp text/poem.txt p.txt
gzip -k p.txt
ls p.txt*
zcat p.txt.gz | head -1
gunzip -c p.txt.gz | cmp - p.txt && echo equal
rm p.txt && gzip -d p.txt.gz && ls p.txt*
