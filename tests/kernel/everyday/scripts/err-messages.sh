# What programs complain about.
{
  cat missing.txt
  cd /nowhere
  rmdir src
  mkdir config
  mv missing x
  rm missing
} 2>&1 | sed 's/^bash: line [0-9]*: //' | sed "s/[‘’]/'/g"
