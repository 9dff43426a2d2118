# Edit nested values in place of a file.
jq '(.orders[] | select(.id == "A-101")).status |= "paid" | .orders |= map(del(.lines)) | del(.next)' data/orders.json > data/new.json
jq -c '.orders[] | [.id, .status]' data/new.json
