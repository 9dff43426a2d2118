# Addresses of sed.
seq 1 10 | sed -n '2~3p' | paste -sd' '
seq 1 10 | sed '3,+2d' | paste -sd' '
seq 1 10 | sed -n '/3/,/5/{=;p}' | paste -sd' '
seq 1 5 | sed '2!s/^/-/' | paste -sd' '
seq 1 5 | sed '3c\three' | paste -sd' '
seq 1 3 | sed '2r /dev/stdin' /dev/null
seq 1 6 | sed '0~2w even.txt' > /dev/null; cat even.txt
