# Different looks of a difference.
printf '%s\n' a b c d > 1.txt
printf '%s\n' a B c e f > 2.txt
diff 1.txt 2.txt
diff -u --label old --label new 1.txt 2.txt
diff -q 1.txt 2.txt
diff -y -W 30 1.txt 2.txt
true
