# Each error with its stack trace in one line.
awk '/^[0-9]{4}-/ { if (t) print t; t = ""; if (/ ERROR /) { t = $0; } next } t { sub(/^ +/, ""); t = t " | " $0 } END { if (t) print t }' logs/app.log
