/**
 * Runs families in which each generation starts the next in a session of its own and is gone, some at a time, with a
 * timeout; says how many of them live on: `hoppers.fixture.ts HOW-MANY AT-ONCE`. A family ends by
 * itself after 10,000 generations: where this script is killed, nothing else would end it.
 */
import * as Effect from "effect/Effect"
import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

const [count = 12, concurrency = 12] = process.argv.slice(2).map(Number)
const hopper = fileURLToPath(new URL("../../fixtures/hopper.sh", import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "sluice-hoppers-"))
const files = Array.from({ length: count }, (_, index) => join(directory, String(index)))
const sizes = (): ReadonlyArray<number> => files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
const wait = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const ends = (file: string) =>
  Shell.run(ShellExec.make("sh", ["-c", 'sh "$0" "$1" 10000; sleep 20', hopper, file], {
    timeout: "400 millis",
    grace: "100 millis",
  })).pipe(
    Effect.map(() => "Exit"),
    Effect.catchTag("ShellFault", ({ reason, survivors }) =>
      Effect.succeed(survivors === undefined ? reason._tag : `${reason._tag}: ${survivors.length} live on`)),
  )

const began = performance.now()
const shell = LocalShell.layerWith({ maxConcurrency: concurrency })
const all = Effect.forEach(files, ends, { concurrency })
const reasons = await Effect.runPromise(Effect.provide(all, shell))
const millis = Math.round(performance.now() - began)
const before = sizes()
await wait(500)
const survivors = sizes().filter((size, index) => size !== before[index]).length
// By another name: who lives on finds nothing to write into, and ends.
renameSync(directory, `${directory}-gone`)
rmSync(`${directory}-gone`, { recursive: true, force: true, maxRetries: 20 })
console.log(JSON.stringify({
  began: before.filter((size) => size > 1).length,
  survivors,
  reasons: [...new Set(reasons)],
  ...(process.env["SHOW_TIME"] === undefined ? undefined : { millis }),
}))
