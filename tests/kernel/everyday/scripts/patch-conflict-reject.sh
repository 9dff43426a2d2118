# A patch that does not fit leaves a reject file, and the original.
printf '%s\n' one two three four five > f.txt; cp f.txt f.orig.txt
sed 's/three/THREE/' f.orig.txt > g.txt
diff -u f.orig.txt g.txt | sed '1,2s/[^ ]*\.txt.*/f.txt/' > p.diff
sed -i 's/three/drei/' f.txt
patch f.txt < p.diff; echo "patch $?"
ls f.txt*; cat f.txt.rej
printf '%s\n' zero one two three four five > f.txt; patch -b f.txt p.diff; cat f.txt | paste -sd' '; ls f.txt.orig
patch -N -r - f.txt p.diff; echo "again $?"
diff --unchanged-line-format= --old-line-format='-%L' --new-line-format='+%L' f.orig.txt f.txt
