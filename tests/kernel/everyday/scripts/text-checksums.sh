# Checksums and their verification.
md5sum text/poem.txt | cut -d' ' -f1
sha1sum < text/poem.txt
sha256sum text/*.txt > sums
sha256sum -c sums
echo x >> text/words.txt
sha256sum -c sums 2> /dev/null | grep -v OK; echo "exit ${PIPESTATUS[0]}"
cksum text/poem.txt
sha512sum text/poem.txt | cut -c1-16
