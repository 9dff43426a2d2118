# Summarise a report in XML without a parser.
cat > junit.xml <<'EOF'
<testsuite name="users" tests="3" failures="1">
  <testcase name="lists users" time="0.012"/>
  <testcase name="makes a user" time="1.500"><failure message="expected 201 but got 500"/></testcase>
  <testcase name="deletes" time="0.2"/>
</testsuite>
EOF
grep -oE '(tests|failures)="[0-9]+"' junit.xml | tr -d '"' | paste -sd' '
sed -nE 's/.*name="([^"]*)" time="[^"]*"><failure message="([^"]*)".*/FAIL \1: \2/p' junit.xml
grep -oP 'time="\K[0-9.]+' junit.xml | awk '{ s += $1 } END { printf "%.3f s\n", s }'
