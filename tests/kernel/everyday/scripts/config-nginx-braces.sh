# Check that braces are balanced.
open=$(tr -cd '{' < config/nginx.conf | wc -c)
close=$(tr -cd '}' < config/nginx.conf | wc -c)
if [ "$open" -eq "$close" ]; then echo "balanced ($open)"; else echo "unbalanced"; exit 1; fi
