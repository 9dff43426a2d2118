# An HTML page of a CSV.
{
  echo '<table>'
  sed -n '1p' data/employees.csv | sed 's/,/<\/th><th>/g; s/^/<tr><th>/; s/$/<\/th><\/tr>/'
  sed '1d' data/employees.csv | head -2 | sed 's/,/<\/td><td>/g; s/^/<tr><td>/; s/$/<\/td><\/tr>/'
  echo '</table>'
} > report.html
cat report.html
grep -o '<td>' report.html | wc -l
sed 's/<[^>]*>/ /g' report.html | tr -s ' ' | sed -n '2p'
