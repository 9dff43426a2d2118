# Validate kinds of input.
for v in 42 -7 3.14 abc "" 007 1e5; do
  if [[ $v =~ ^-?[0-9]+$ ]]; then k=integer
  elif [[ $v =~ ^-?[0-9]*\.[0-9]+$ ]]; then k=decimal
  elif [[ -z $v ]]; then k=empty
  else k=text; fi
  printf '%-5s %s\n' "'$v'" "$k"
done
for m in a@b.co bad@ @x.y first.last@sub.example.org; do
  [[ $m =~ ^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$ ]] && echo "ok $m" || echo "no $m"
done
