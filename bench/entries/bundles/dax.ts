import $ from "dax"

for await (const line of $`git log`.linesIter()) console.log(line)
