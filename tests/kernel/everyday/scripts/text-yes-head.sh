# Endless producers that are cut.
yes | head -3 | wc -l
yes 'a b' | head -c 20 | tr -d '\n'; echo
yes no | sed -n '1000{p;q}'
set -o pipefail; yes | head -1 > /dev/null; echo "exit $?"
tr '\0' x < /dev/zero | head -c 10; echo
