# Base64 both ways.
echo -n 'user:pass word' | base64
echo 'aGVsbG8gd29ybGQ=' | base64 -d; echo
seq 1 40 | base64 -w 40 | head -2
base64 -w0 text/people.txt | base64 --decode | cmp - text/people.txt && echo same
echo '!!!' | base64 -d 2> /dev/null; echo "exit $?"
