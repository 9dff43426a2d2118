# Conditions of find.
find . -path ./node_modules -prune -o \( -name '*.js' -o -name '*.py' \) -print | sort
find . -type f -size -100c ! -path './node_modules/*' | sort
find src -mindepth 2 -maxdepth 2 -type f -iname 'D*' 
find config -regextype posix-extended -regex '.*/(app|default)\..*' | sort
find docs -type f -exec sh -c 'echo "$1: $(wc -l < "$1")"' _ {} \; | sort
