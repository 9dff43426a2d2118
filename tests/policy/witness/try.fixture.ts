/**
 * One script by hand, under the witness: `try.fixture.ts [SETTINGS as JSON] SCRIPT...`, such as
 * `try.fixture.ts '{"allowedCommands":["git"],"redirects":"roots"}' 'git log > x'`. Prints what it did and what started.
 */
import { readdirSync } from "node:fs"
import { runBatch } from "./batch.ts"
import type { Settings } from "./job.ts"
import { escapes } from "./report.ts"
import { makeWorld } from "./world.ts"

const words = process.argv.slice(2)
const given: Partial<Settings> = words[0]?.startsWith("{") === true ? JSON.parse(words.shift() ?? "") : {}
const allowedCommands = given.allowedCommands ?? ["git"]
using world = makeWorld(allowedCommands)
const { bin, folders, marks, place } = world
const items = words.map((script, i) => ({ id: String(i), script }))
const settings = { allowedCwdRoots: [place], ...given, allowedCommands, searchPath: bin }
const batch = await runBatch({ settings, place, items }, { folders })
for (const { script, id } of items) console.log(JSON.stringify({ script, ...batch.answers.get(id) }))
for (const { argv, by, path } of batch.executions) console.log(`started ${path} ${JSON.stringify(argv)} by ${by?.path}`)
for (const text of escapes(batch, items)) console.log(`ESCAPED ${text}`)
for (const name of readdirSync(marks)) console.log(`MARK ${name}`)
if (batch.trouble !== undefined) console.log(batch.trouble)
