import { x } from "tinyexec"

for await (const line of x("git", ["log"])) console.log(line)
