# A lock by a folder.
lock=/tmp/my.lock
acquire() { mkdir "$lock" 2> /dev/null; }
acquire && echo "got it"
acquire || echo "busy"
rmdir "$lock"
acquire && echo "again"
rmdir "$lock"
