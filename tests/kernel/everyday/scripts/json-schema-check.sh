# Checks data against rules, with paths of what is wrong.
cat > rules.jq <<'JQ'
def problem($path; $text): "\($path | map(if type == "number" then "[\(.)]" else ".\(.)" end) | join("")): \($text)";
def check:
  to_entries[] | .key as $i | .value
  | (if (.email | type) != "string" then problem([$i, "email"]; "not a string but \(.email | type)") else empty end),
    (if (.roles | length) == 0 then problem([$i, "roles"]; "is empty") else empty end),
    (if (.age < 30) then problem([$i, "age"]; "\(.age) is below 30") else empty end),
    (if (.name | test("^[A-Za-z' ]+$") | not) then problem([$i, "name"]; "odd letters in \(.name)") else empty end);
[check]
JQ
jq -r -f rules.jq data/users.json | tee report.json
n=$(jq length report.json); echo "$n problems"
jq -e 'length == 0' report.json > /dev/null; echo "exit $?"
jq -r '.[] | split(": ") | {path: .[0], text: .[1]} | "\(.path)|\(.text)"' report.json | column -t -s'|'
