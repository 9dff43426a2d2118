# Sequences.
seq -w 8 11 | paste -sd' '
seq 10 -3 1 | paste -sd,
seq -f 'file%03g.txt' 3 | paste -sd' '
seq 0 0.25 1 | paste -sd' '
seq -s: 5
printf 'img_%02d.png\n' {9..11}
