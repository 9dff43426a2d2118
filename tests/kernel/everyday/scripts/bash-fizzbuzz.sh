# A loop with conditions.
for ((i = 1; i <= 15; i++)); do
  out=""
  ((i % 3)) || out+=Fizz
  ((i % 5)) || out+=Buzz
  echo -n "${out:-$i} "
done
echo
