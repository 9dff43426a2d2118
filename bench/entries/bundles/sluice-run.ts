import { lines } from "../../../src/run/mod.ts"

for await (const line of lines("git", ["log"])) console.log(line)
