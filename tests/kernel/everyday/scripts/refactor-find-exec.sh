# Commands of find.
find src -name '*.js' -newer /nowhere 2> /dev/null; echo "exit $?"
find src -type f -name '*.js' -exec grep -l TODO {} + | sort
find src -type d -empty -o -type f -size +600c -print | sort
find . -maxdepth 1 -type f -name '.*' | sort
