# A named pipe between two processes.
mkfifo q
{ for i in 1 2 3; do echo "job $i"; done > q; } &
while read -r line; do echo "did ${line#job }"; done < q
wait
rm q
