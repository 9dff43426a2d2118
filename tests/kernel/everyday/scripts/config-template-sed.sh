# Fill a template by sed and check that nothing is left.
declare -A v=([NAME]="Bob & Co" [ORDER_ID]=7 [CITY]=York [SHOP_MAIL]=a/b@c)
text=$(< config/mail.tmpl)
for k in "${!v[@]}"; do text=${text//"\${$k}"/"${v[$k]}"}; done
echo "$text"
grep -q '\${' <<< "$text" && echo "left over" || echo "complete"
