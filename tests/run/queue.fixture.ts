/** Runs two commands behind one that ends with the stdin of this program, and prints their output. */
import { Runner } from "../../src/run/mod.ts"

const { $ } = Runner.make({ maxConcurrency: 1 })
const server = $({ stdin: "inherit" })`cat`.start()
const second = $`echo second`.text()
let third = ""
for await (const event of $`echo third`.events()) if (event._tag === "ShellOutputChunk") third += event.content
await server
console.log(await second, third.trim())
