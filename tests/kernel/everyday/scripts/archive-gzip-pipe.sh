# Compress in a pipe.
seq 1 5000 | gzip -9 | gzip -dc | tail -1
size=$(seq 1 5000 | gzip -c | wc -c)
(( size < 12000 )) && echo "small enough"
echo broken | gzip -dc > /dev/null 2>&1; echo "exit $?"
gzip -t < <(echo hi | gzip) && echo "good"
