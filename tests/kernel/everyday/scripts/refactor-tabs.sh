# Tabs to spaces and back.
printf 'if x:\n\treturn 1\n\t\tdeep\n' > t.py
expand -t 4 t.py > s.py
cat -A s.py
unexpand --first-only -t 4 s.py | diff - t.py && echo same
