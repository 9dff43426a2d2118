/**
 * Writes a journal until it is killed, and prints what it was answered for: first and last position, and correlation id.
 * It begins at a line on stdin: PATH SEED HOW.
 */
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { makeJournal } from "../../../../src/journal/makeJournal.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { random } from "../../../support/random.ts"

const line = await new Promise((resolve) => process.stdin.setEncoding("utf8").once("data", resolve))
const [path = "", seed = "", how] = String(line).trim().split(" ")
const { int, pick } = random(Number(seed))
let appends = 0

const system = loadHostSystem()

/** A system that takes little at a time: who is killed is nearly always within a transaction. */
const inPieces = {
  ...system,
  files: {
    ...system.files,
    writeSync: (descriptor: number, data: unknown, at?: unknown, length?: unknown): number =>
      data instanceof Uint8Array
        ? system.files.writeSync(descriptor, data, Number(at), Math.min(100, Number(length)), null)
        : system.files.writeSync(descriptor, String(data)),
  },
}

const program = Effect.gen(function* () {
  const journal = yield* makeJournal(yield* openStoreWith(how === "pieces" ? inPieces : system, { path }))
  const append = Effect.suspend(() => {
    const correlationId = `${seed}-${++appends}`
    // Some are so large that the kernel writes them in several steps.
    const large = how !== "pieces" && int(0, 20) === 0
    const text = "x".repeat(large ? 100_000 : int(0, 300))
    const drafts = Array.from({ length: int(1, large ? 9 : 25) }, () => ({
      branch: "notes",
      correlationId,
      body: { _tag: "Noted", text },
    }))
    const durability = pick(["memory", "os", "os", "disk"] as const)
    return Effect.map(journal.append(drafts, { durability }), (positions) => {
      if (durability !== "memory") writeSync(1, `${positions[0]} ${positions.at(-1)} ${correlationId}\n`)
    })
  })
  const prune = Effect.suspend(() =>
    journal.prune({ keepEntries: int(50, 100), correlationIds: [`${seed}-${appends}`] })
  )
  yield* Effect.forEach(
    [append, append, append, ...(how === "prune" ? [prune] : [])],
    (work) => Effect.forever(Effect.andThen(work, Effect.yieldNow)),
    { concurrency: "unbounded" },
  )
})

await Effect.runPromise(Effect.scoped(program))
