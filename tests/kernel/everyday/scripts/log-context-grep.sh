# Show an error with the lines around it.
grep -n -B1 -A2 'ERROR.*timeout' logs/app.log
echo "count: $(grep -c -e ERROR -e WARN logs/app.log)"
