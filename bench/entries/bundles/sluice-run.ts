import { lines } from "../../../src/run/run.ts"

for await (const line of lines("git", ["log"])) console.log(line)
