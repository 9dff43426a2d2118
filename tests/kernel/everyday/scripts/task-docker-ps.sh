# Containers that are not healthy, from a table.
cat > ps.txt <<'EOF'
CONTAINER ID   NAME      STATUS                    PORTS
a1b2c3         web       Up 3 hours (healthy)      80/tcp
d4e5f6         worker    Up 2 hours (unhealthy)    
0a0b0c         db        Exited (1) 5 minutes ago  5432/tcp
EOF
awk 'NR > 1 && !/\(healthy\)/ { print $2 }' ps.txt
tail -n +2 ps.txt | cut -c16-25 | sed 's/ *$//' | paste -sd,
awk 'NR == 1 { c = index($0, "STATUS"); e = index($0, "PORTS"); next } { s = substr($0, c, e - c); sub(/ +$/, "", s); print s }' ps.txt
