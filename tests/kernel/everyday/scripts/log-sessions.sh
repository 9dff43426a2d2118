# Sessions of each visitor: gaps over a minute start a new one.
awk '
function seconds(t,   p) { split(t, p, /[\/:]/); return p[4] * 3600 + p[5] * 60 + p[6] }
{ t = seconds(substr($4, 2)); ip = $1
  if (!(ip in last) || t - last[ip] > 60) { n[ip]++; start[ip, n[ip]] = t }
  last[ip] = t; hits[ip, n[ip]]++; bytes[ip] += $10 }
END {
  for (ip in n) for (s = 1; s <= n[ip]; s++)
    printf "%s session %d at %02d:%02d hits %d\n", ip, s, start[ip, s] / 3600, start[ip, s] % 3600 / 60, hits[ip, s] | "sort"
  close("sort")
  for (ip in bytes) printf "%-10s %8d\n", ip, bytes[ip] | "sort -k2,2nr"
}' logs/access.log
