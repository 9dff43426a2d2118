import { expect, it } from "@effect/vitest"
import * as Stream from "effect/Stream"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { all, directory, ended, run, sh, start, until } from "./journaled.ts"
import { post, problemOf } from "./support.ts"

const ndjson = { accept: "application/x-ndjson" }

/** A command that leaves a line for each time that it runs. */
const counted = (path: string, script = "true") => ({
  command: "sh",
  arguments: ["-c", `echo ran >> ${join(path, "runs")}; echo out; echo oops >&2; ${script}`],
  commandId: "same",
})

const runs = async (path: string): Promise<number> =>
  (await readFile(join(path, "runs"), "utf8").catch(() => "")).split("\n").length - 1

it("runs a command id once, and answers again from the first run, in any form", async () => {
  const path = await directory()
  const fixture = await start()
  const command = counted(path, "exit 3")
  const first = await fixture.ask("/exec", post(command, ndjson))
  expect(first.headers.get("sluice-replayed")).toBeNull()
  const lines = await first.text()
  const again = await fixture.ask("/exec", post(command, ndjson))
  expect(again.headers.get("sluice-replayed")).toBe("true")
  expect(await again.text()).toBe(lines)
  const events = await (await fixture.ask("/exec", post(command, { accept: "text/event-stream" }))).text()
  expect([...events.matchAll(/^data: (.*)$/gm)].map(([, data]) => data)).toEqual(lines.trim().split("\n"))
  const json = await (await fixture.ask("/exec", post(command))).json()
  expect(json).toMatchObject({ exitCode: 3, stdout: "out\n", stderr: "oops\n", stdoutBytesOmitted: 0 })
  const windows = await (await fixture.ask("/exec?window=final", post(command, ndjson))).text()
  expect(windows).toContain(`"_tag":"Window"`)
  expect((await fixture.ask("/exec?detached", post(command))).status).toBe(202)
  expect(await runs(path)).toBe(1)
})

it("answers a run that came as one result again in every form", async () => {
  const fixture = await start()
  const command = { command: "echo", arguments: ["hello"], commandId: "same" }
  const first = await (await fixture.ask("/exec", post(command))).json()
  const second = await fixture.ask("/exec", post(command))
  expect([second.headers.get("sluice-replayed"), await second.json()]).toEqual(["true", first])
  const lines = (await (await fixture.ask("/exec", post(command, ndjson))).text()).trim().split("\n")
  expect(lines.map((line) => JSON.parse(line))).toEqual([first])
})

it("answers a fault again as the same problem", async () => {
  const fixture = await start()
  const command = { command: "no-such-program", commandId: "same" }
  const first = await problemOf(await fixture.ask("/exec", post(command)))
  for (const headers of [{}, ndjson]) {
    expect(await problemOf(await fixture.ask("/exec", post(command, headers)))).toEqual(first)
  }
  expect(first.status).toBe(404)
})

it("refuses another command under an id that was used", async () => {
  const path = await directory()
  const fixture = await start()
  await fixture.ask("/exec", post(counted(path)))
  for (const other of [{ ...counted(path), arguments: ["-c", "echo no"] }, { ...counted(path), timeout: 5 }]) {
    for (const query of ["", "?detached", "?disconnectGraceMillis=100"]) {
      const response = await fixture.ask(`/exec${query}`, post(other))
      expect((await problemOf(response)).type).toBe("urn:sluice:request:conflict")
    }
  }
  expect(await runs(path)).toBe(1)
})

it("runs it once for many concurrent requests to two servers on one journal", async () => {
  const path = await directory()
  const journal = join(path, "journal.sqlite")
  const servers = [
    await start({ journal: SqliteJournal.layer({ path: journal }) }),
    await start({ journal: SqliteJournal.layer({ path: journal }) }),
  ]
  const command = counted(path, "sleep 0.3")
  const asked = servers.flatMap(({ ask }) =>
    Array.from({ length: 6 }, async (_, index) => {
      const response = await ask("/exec?disconnectGraceMillis=5000", post(command, index % 2 === 0 ? ndjson : {}))
      return [response.status, (await response.text()).includes(`"exitCode":0`)]
    })
  )
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 12 }, () => [200, true]))
  expect(await runs(path)).toBe(1)
})

it("ends a command of another server on the same journal", async () => {
  const journal = join(await directory(), "journal.sqlite")
  const first = await start({ journal: SqliteJournal.layer({ path: journal }) })
  const second = await start({ journal: SqliteJournal.layer({ path: journal }) })
  await run(first.client.detach(sh("echo begun; sleep 60", "c")))
  const following = all(second.client.events("c"))
  await until(async () => (await run(second.client.command("c"))).state === "running")
  expect((await run(second.client.cancel("c"))).state).toBe("running")
  expect((await ended(second, "c")).reason).toBe("Cancelled")
  expect((await following).map(({ event }) => event._tag)).toEqual(["ShellOutputChunk", "ShellFault"])
})

it("forces a command of another server on the same journal, also one that has been told to end", async () => {
  const journal = join(await directory(), "journal.sqlite")
  const first = await start({ journal: SqliteJournal.layer({ path: journal }) })
  const second = await start({ journal: SqliteJournal.layer({ path: journal }) })
  const script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
  for (const id of ["at-once", "after"]) {
    await run(first.client.detach(ShellExec.make("sh", ["-c", script], { commandId: id, grace: "2 minutes" })))
    await all(Stream.take(second.client.events(id), 1))
    if (id === "after") await run(second.client.cancel(id))
    await run(second.client.cancel(id, { force: true }))
    expect((await ended(first, id)).reason).toBe("Cancelled")
  }
})
