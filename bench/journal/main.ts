/** The journal's bench: `node bench/run.mjs journal`, with the options of `readOptions`. */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Redacted from "effect/Redacted"
import { postgresIsHere, Server } from "../../tests/support/postgres.ts"
import { root } from "../machine.ts"
import { casesOf, readOptions, Runs } from "../tables.ts"
import type { Job } from "./Job.ts"
import { tables } from "./plan.ts"

const options = readOptions()
const wanted = tables.filter(({ id }) => options.tables?.includes(id) ?? true)
const cache = join(root, "bench", ".cache")
const folder = join(cache, "journal")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const cases = casesOf(wanted)
const server = cases.some(({ store }) => store === "postgres") && postgresIsHere ? await Server.make() : undefined
const largeRows = options.quick ? 100_000 : 10_000_000
const job: Job = {
  folder,
  rows: options.quick ? 5_120 : 256_000,
  largeRows,
  large: join(cache, `journal-${largeRows}.db`),
  server: server === undefined ? null : { port: server.port, password: Redacted.value(server.password) },
}
const runs = new Runs(
  {
    name: "journal",
    title: "Bench of the journal",
    tables: wanted,
    commandOf: (
      one,
    ) => [
      join(import.meta.dirname, "measure.ts"),
      one.row,
      one.store,
      one.level,
      JSON.stringify(job),
    ],
    skips: (one) => one.store === "postgres" && server === undefined,
  },
  options,
)
try {
  const [first] = options.runtimes
  if (first !== undefined && wanted.some(({ id }) => id === "large")) {
    await runs.measure(first[0], first[1], {
      row: "makeLarge",
      store: "sqlite",
      level: "os",
    })
  }
  await runs.all(cases)
} finally {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
}
await runs.write()
