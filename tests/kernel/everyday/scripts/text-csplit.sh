# Split a document by its headings.
csplit -s -z -f sec- README.md '/^## /' '{*}'
ls sec-*
head -1 sec-02
rm sec-*
