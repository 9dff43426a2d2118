import { $ } from "zx"

for await (const line of $`git log`) console.log(line)
