# Columns, and a list in columns.
printf 'name:size\nx:1\nlonger:22\n' | column -t -s:
printf '%s\n' a b c d e f | column -c 20 | expand
printf 'a  b\nccc d\n' | column -t -o ' | '
