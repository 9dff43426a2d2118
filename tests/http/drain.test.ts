import { expect, it } from "@effect/vitest"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { all, directory, run, sh, start, until } from "./journaled.ts"
import { post, problemOf } from "./support.ts"

it("refuses new commands while it drains, lets running ones end, and notifies their readers", async () => {
  const fixture = await start()
  const go = join(await directory(), "go")
  const wait = `until [ -e ${go} ]; do sleep 0.02; done`
  await run(fixture.client.detach(sh(`${wait}; echo done`, "c")))
  const reading = all(fixture.client.events("c"))
  const answer = fixture.ask("/exec", post({ command: "sh", arguments: ["-c", `${wait}; echo too`] }))
  await until(async () => (await run(fixture.client.commands({ state: ["open"] }))).commands.length === 2)
  const disposed = fixture.routes.dispose({ drain: "20 seconds" })
  const health = await fixture.ask("/health")
  expect([health.status, await health.json()]).toEqual([503, { status: "draining" }])
  const refused = await fixture.ask("/exec", post({ command: "true" }))
  expect([(await problemOf(refused)).type, refused.headers.get("retry-after")]).toEqual([
    "urn:sluice:request:unavailable",
    "1",
  ])
  // Those that run can still be looked at.
  expect((await run(fixture.client.command("c"))).state).toBe("running")
  await writeFile(go, "")
  await disposed
  expect((await reading).map(({ event }) => event._tag)).toEqual(["ShellOutputChunk", "ShellOutput"])
  expect(await (await answer).json()).toMatchObject({ stdout: "too\n", exitCode: 0 })
})

it("ends remaining commands when the drain time is over, and journals it", async () => {
  const path = join(await directory(), "journal.sqlite")
  const first = await start({ journal: SqliteJournal.layer({ path }) })
  await run(first.client.detach(sh("sleep 60", "c")))
  const reading = all(first.client.events("c"))
  await first.routes.dispose({ drain: "100 millis" })
  const last = (await reading).at(-1)?.event
  expect(last).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
  const second = await start({ journal: SqliteJournal.layer({ path }) })
  expect((await run(second.client.command("c"))).reason).toBe("Cancelled")
})
