/** Listing the running commands of a server whose journal has many that ended. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { ComputeBranch, type ComputeEvent } from "../../src/compute/ComputeBranch.ts"
import { draftBranchEntry } from "../../src/branch/BranchEntry.ts"
import { type Branch, draftEvent, draftRequest } from "../../src/branch/BranchDefinition.ts"
import { currentHost } from "../../src/branch/HostIdentity.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import type { ShellOutput } from "../../src/command/ShellEvent.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { type MeasureCase, sleep, timed } from "../rows/Row.ts"
import { median } from "../samples.ts"
import { token, withServer } from "./withServer.ts"

const compute: Branch<ShellExec, ComputeEvent> = ComputeBranch
const perBatch = 500

const exited = (commandId: string): ShellOutput => ({
  _tag: "ShellOutput",
  commandId,
  exitCode: 0,
  stdout: "",
  stderr: "",
  duration: 12,
  completed: 0,
  drain: "eof",
  executable: "/bin/true",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
})

/** Fills a journal with commands that ended. */
const fill = (path: string, commands: number): Promise<void> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const host = yield* currentHost
    for (let from = 0; from < commands; from += perBatch) {
      yield* journal.append(
        Array.from({ length: perBatch }, (_, index) => {
          const commandId = `c${from + index}`
          return [
            draftRequest(compute, ShellExec.make("true", [], { commandId })),
            draftBranchEntry(compute, commandId, {
              _tag: "LeaseTaken",
              daemonId: "in-process",
              host,
              attempt: 1,
              leaseMillis: null,
            }),
            draftEvent(compute, exited(commandId)),
          ]
        }).flat(),
      )
    }
  }).pipe(Effect.provide(SqliteJournal.layer({ path })), Effect.runPromise)

const headers = {
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
}
const turns = 20
const running = 3

/** Milliseconds of a listing; and the longest that another request waits meanwhile. */
export const listing: MeasureCase = async (_, job) => {
  const path = join(job.folder, "listing.db")
  await fill(path, job.sizes.commands)
  return await withServer(
    ["sluice", job.nothing.file, path],
    async ({ url }) => {
      const ask = (route: string): Promise<string> => fetch(`${url}${route}`, { headers }).then((got) => got.text())
      for (let n = 0; n < running; n++) {
        const body = JSON.stringify({
          command: "/bin/sleep",
          arguments: ["1000"],
        })
        // Ends with the server.
        fetch(`${url}exec`, { method: "POST", headers, body }).catch(() => undefined)
      }
      const found = async (): Promise<number> =>
        (await ask("commands?state=running")).split('"state":"running"')
          .length - 1
      const list = async (): Promise<void> => {
        if (await found() !== running) {
          throw new Error(
            "a running command is not listed",
          )
        }
      }
      for (
        let turn = 0;
        turn < 200 && await found() < running;
        turn++
      ) await sleep(100)
      const times: Array<number> = []
      for (let turn = 0; turn < turns; turn++) times.push(await timed(list))
      let healthMs = 0
      let listed = false
      const watch = async (): Promise<void> => {
        while (!listed) {
          healthMs = Math.max(healthMs, await timed(() => ask("health")))
          await sleep(1)
        }
      }
      const watched = watch()
      for (let turn = 0; turn < turns; turn++) await list()
      listed = true
      await watched
      return { ms: median(times), healthMs }
    },
  )
}
