/**
 * Records the session that `sluice demo` shows: a scripted model mends a small project in a folder, by real files, commands
 * and tests, and the journal of that is the recording. `deno run -A scripts/demo.mjs FOLDER RECORDING`; both are made.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Agent } from "../src/agent/mod.ts"
import { agentPrompt } from "../src/cli/agent/agentPrompt.ts"
import { JournaledShell } from "../src/compute/journal.ts"
import { NdjsonJournal } from "../src/journal/ndjson.ts"
import { JournaledFileSystem, LocalFileSystem } from "../src/leaves/files/mod.ts"
import { LocalShell } from "../mod.ts"
import { editFile, readFile, runCommand, Spellbook } from "../src/spell/mod.ts"
import { MockModel } from "../src/testing/mod.ts"

const [folder = "", recording = ""] = process.argv.slice(2)

const source = `/** Makes the part of an address that names a page: "Hello, World!" gives "hello-world". */
export const slugify = (title) => title.toLowerCase().replace(/[^a-z0-9]/g, "-")
`
const test = `import { setTimeout } from "node:timers/promises"
import { slugify } from "./slugify.mjs"

for (const [title, wanted] of [["Two Words", "two-words"], ["a,  b", "a-b"], ["Hello!", "hello"]]) {
  await setTimeout(250)
  const slug = slugify(title)
  if (slug === wanted) {
    console.log(\`\\x1b[32m✔\\x1b[39m \${title} \\x1b[2m\${slug}\\x1b[22m\`)
  } else {
    console.log(\`\\x1b[31m✖ \${title} \${slug}, not \${wanted}\\x1b[39m\`)
    process.exitCode = 1
  }
}
`
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, "slugify.mjs"), source)
writeFileSync(join(folder, "test.mjs"), test)

const edit = (/** @type {string} */ oldText, /** @type {string} */ newText) => ({
  name: "edit_file",
  arguments: { path: "slugify.mjs", edits: [{ oldText, newText }] },
})
const before = `.replace(/[^a-z0-9]/g, "-")`
const half = `.replace(/[^a-z0-9]+/g, "-")`
const whole = `${half}.replace(/^-|-$/g, "")`
const runTests = { name: "run_command", arguments: { command: "node", arguments: ["test.mjs"] } }
const turns = [
  { text: "I run the tests.", calls: [runTests] },
  { text: "Two of three fail. I read the source.", calls: [{ name: "read_file", arguments: { path: "slugify.mjs" } }] },
  {
    text: "Each character that is no letter becomes a dash. A run of them must become one dash.",
    calls: [edit(before, half)],
  },
  { calls: [runTests] },
  { text: "One is left: a dash stays at the end. I cut dashes at both ends.", calls: [edit(half, whole)] },
  { calls: [runTests] },
  {
    text: "All tests pass. slugify now writes one dash between words and none at the ends; I changed one line.",
  },
]
// Tokens as a model would count them, about four characters each.
const script = turns.map((turn, index) =>
  MockModel.turn({ ...turn, delay: "700 millis", usage: { inputTokens: 900 + 450 * index, outputTokens: 60 } })
)

const book = Spellbook.make(readFile, editFile, runCommand)
const world = Layer.mergeAll(
  JournaledFileSystem.layer.pipe(Layer.provide(LocalFileSystem.layer({ rootPath: folder }))),
  JournaledShell.layer.pipe(Layer.provide(LocalShell.layerWith({ cwd: folder }))),
  MockModel.layer(script),
).pipe(Layer.provideMerge(NdjsonJournal.layer({ path: recording })))

const session = Effect.gen(function* () {
  const services = yield* Agent.journaled(book)
  const system = agentPrompt({ sandbox: false, url: undefined })
  const options = { task: "fix the failing tests", system, tools: [...book.spells.keys()], model: "scripted" }
  yield* Stream.runDrain(Agent.run(services, options))
  yield* MockModel.verify
})
await Effect.runPromise(Effect.provide(session, world))
