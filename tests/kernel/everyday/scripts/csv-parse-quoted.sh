# A CSV reader in awk with quotes and embedded commas, to JSON lines and back.
cat > csv.awk <<'AWK'
function fields(line, out,   n, c, i, q, cur) {
  n = 0; cur = ""; q = 0
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (q) { if (c == "\"") { if (substr(line, i + 1, 1) == "\"") { cur = cur c; i++ } else q = 0 } else cur = cur c }
    else if (c == "\"") q = 1
    else if (c == ",") { out[++n] = cur; cur = "" }
    else cur = cur c
  }
  out[++n] = cur
  return n
}
NR == 1 { w = fields($0, head); next }
{ delete row; fields($0, row); line = "{"
  for (i = 1; i <= w; i++) { v = row[i]; gsub(/\\/, "\\\\", v); gsub(/"/, "\\\"", v); line = line (i > 1 ? "," : "") "\"" head[i] "\":\"" v "\"" }
  print line "}" }
AWK
awk -f csv.awk data/quoted.csv | tee rows.ndjson
jq -r '[.id, .title, .note] | @csv' rows.ndjson
jq -sr '(.[0] | keys_unsorted), (.[] | [.[]]) | @csv' rows.ndjson > back.csv
diff <(tail -n +2 back.csv | tr -d '"') <(tail -n +2 data/quoted.csv | tr -d '"') && echo "same fields"
