# Read one file out of an archive.
tar czf - data | tar xzOf - data/departments.csv
tar cf - -C data departments.csv products.tsv | tar tf -
