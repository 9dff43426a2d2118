# Multiply matrices in awk, and draw a grid.
awk 'BEGIN { a[1,1]=1; a[1,2]=2; a[2,1]=3; a[2,2]=4
for (i=1;i<=2;i++) { for (j=1;j<=2;j++) { s=0; for (k=1;k<=2;k++) s+=a[i,k]*a[k,j]; printf "%4d", s } print "" } }'
for y in 0 1 2; do row=; for x in 0 1 2 3; do (( (x + y) % 2 )) && row+='#' || row+='.'; done; echo "$row"; done
