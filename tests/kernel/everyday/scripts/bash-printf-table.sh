# A table by printf.
line() { printf '+%s+%s+\n' "$(printf -- '-%.0s' {1..12})" "$(printf -- '-%.0s' {1..8})"; }
line
printf '| %-10s | %6s |\n' item price
line
printf '| %-10s | %6.2f |\n' pen 1.5 pad 4.25 ink 12
line
printf '%s, ' a b c; printf '\b\b\n' | od -An -c
printf '%q %q\n' 'two words' "it's"
printf '%(%Y-%m-%d)T\n' 86400
