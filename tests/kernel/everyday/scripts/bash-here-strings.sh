# Here-strings and here-documents as input.
read -r a b <<< "first second third"
echo "$b|$a"
wc -w <<< "$(echo one two three)"
tr a-z A-Z <<EOF | sed 's/^/> /'
user is ${USER:-nobody}
sum is $((2 + 3))
EOF
cat <<'A'
literal $x \n
A
