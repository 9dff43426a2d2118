# Two changes of one file that do not touch each other.
printf '%s\n' 1 2 3 4 5 6 7 8 9 > base
sed 's/^2$/two/' base > mine
sed 's/^8$/eight/' base > theirs
diff -u base theirs > their.patch
cp mine merged
patch -s merged their.patch
paste -sd' ' merged
rm their.patch
