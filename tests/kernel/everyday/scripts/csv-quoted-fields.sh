# Read quoted fields with FPAT of gawk.
awk -v FPAT='([^,]*)|("([^"]|"")*")' 'NR > 1 { gsub(/^"|"$/, "", $2); print $1 ": " $2 }' data/quoted.csv
