# Calculations with fractions.
echo "scale=3; 10 / 3" | bc
echo "2 ^ 64; sqrt(2)" | bc -l
avg=$(paste -sd+ data/numbers.txt | bc)
echo "sum $avg"
awk 'BEGIN { printf "%.2f %d %s\n", 22 / 7, 2 ** 10, 0.1 + 0.2 }'
(( $(echo "3.5 > 2.25" | bc -l) )) && echo larger
