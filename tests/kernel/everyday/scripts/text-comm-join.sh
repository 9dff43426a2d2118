# Set operations of two lists.
printf '%s\n' 1 2 3 5 > a; printf '%s\n' 2 3 4 > b
comm a b
comm -12 a b | wc -l
sort a b | uniq -u | paste -sd' '
grep -vxFf b a
join a b
join -a1 -a2 -e- -o 0,1.1,2.1 a b
