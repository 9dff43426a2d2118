# Edits Python by awk: wraps the main part into a function, and checks indentation.
awk '
  /^if __name__/ { print "def main():"; main = 1; next }
  main && /^    / { print; next }
  { print }
  END { if (main) print "\n\nif __name__ == \"__main__\":\n    main()" }
' src/tools/report.py > report.new && mv report.new src/tools/report.py
diff <(sed -n '1,$p' src/tools/report.py) - < src/tools/report.py && echo same
awk 'match($0, /^ +/) && RLENGTH % 4 { print FILENAME ":" FNR ": indent " RLENGTH; bad = 1 } END { exit bad }' src/tools/report.py && echo "indentation is fine"
grep -n 'def \|import' src/tools/report.py
tail -4 src/tools/report.py | cat -A
