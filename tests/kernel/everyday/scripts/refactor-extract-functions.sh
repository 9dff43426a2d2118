# The names of functions with their files.
grep -rnoE '(async )?function +[A-Za-z_]+' src --include=*.js | sed -E 's/(async )?function +//' | sort | column -t -s:
