# Regular expressions of Perl.
grep -oP '"version":\s*"\K[^"]+' package.json
grep -oP '(?<=port = )\d+' config/app.ini
grep -P '^(?!.*total).*\bconst\b' src/api/orders.js | head -2
grep -nP '\bTODO\b(?!\()' src -r | sort
