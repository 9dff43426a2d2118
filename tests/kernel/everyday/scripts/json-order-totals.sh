# Sum the lines of each order, and all paid ones.
jq -r '.orders[] | "\(.id) \(.status) \([.lines[] | .price * .quantity] | add // 0)"' data/orders.json
paid=$(jq '[.orders[] | select(.status == "paid") | .lines[] | .price * .quantity] | add' data/orders.json)
echo "paid: $paid"
