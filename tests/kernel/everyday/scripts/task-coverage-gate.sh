# Fail under a limit of coverage.
cat > cov.txt <<'EOF'
File       | % Stmts | % Lines
index.js   |   91.5  |  90.0
users.js   |   70.25 |  68.1
orders.js  |   100   |  100
EOF
avg=$(awk -F'|' 'NR > 1 { s += $3; n++ } END { printf "%.1f", s / n }' cov.txt)
echo "lines: $avg%"
awk -F'|' 'NR > 1 && $3 + 0 < 80 { gsub(/ /, "", $1); print "low: " $1 }' cov.txt
awk -v a="$avg" 'BEGIN { exit !(a >= 90) }' || { echo "under 90%"; exit 1; }
