# Differences without those of white space and case.
printf 'a  b\nC\n\nd\n' > 1.txt
printf 'a b\nc\nd\n' > 2.txt
diff -w -i -B 1.txt 2.txt && echo "the same for a human"
diff -b 1.txt 2.txt | grep -c '^<'
