# Arithmetic of bash.
a=7 b=3
echo $((a / b)) $((a % b)) $((a ** b)) $((a & b)) $((a | b)) $((a ^ b)) $((a << b)) $((-a / b)) $((~a))
echo $((a > b ? a : b)) $((16#ff)) $((2#1011)) $((010)) $((a++ + ++b)) $a $b
(( a == 8 && b == 4 )) && echo yes
let "c = a * b" "c += 2"; echo "$c"
for (( i = 0, j = 10; i < j; i += 3, j -= 2 )); do printf '%d-%d ' "$i" "$j"; done; echo
