# Which variables of the environment does the code read?
grep -rhoE 'process\.env\.[A-Z_]+' src | cut -d. -f3 | sort -u > used.txt
grep -oE '^[A-Z_]+' .env | sort > defined.txt
echo "not defined:"; comm -23 used.txt defined.txt
echo "not used:"; comm -13 used.txt defined.txt
