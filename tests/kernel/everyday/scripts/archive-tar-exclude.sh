# An archive of the project without what is built.
tar --exclude=node_modules --exclude='*.log' -cf /tmp/p.tar .
tar -tf /tmp/p.tar | grep -c node_modules
tar -tf /tmp/p.tar | grep '^./config' | sort
