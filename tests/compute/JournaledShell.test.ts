import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { LocalShell, Shell, ShellExec, type ShellFault } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { ComputeBranch } from "@sluice/shell/daemon"
import { isLastEvent, RunPlayer } from "../../src/compute/RunPlayer.ts"
import {
  type Entry,
  Journal,
  JournaledShell,
  JournalError,
  type JournalService,
  MemoryJournal,
  Redactor,
} from "@sluice/shell/journal"
import { decodeEventEntry } from "../../src/branch/BranchDefinition.ts"
import { eventually, pause } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"

const journaled = (options?: JournaledShell.JournaledShellOptions, memory: MemoryJournal.MemoryJournalOptions = {}) =>
  JournaledShell.layerWith(options ?? {}).pipe(
    Layer.provide(LocalShell.layer),
    Layer.provideMerge(MemoryJournal.layerWith(memory)),
  )

const entriesOf = (commandId: string): Effect.Effect<ReadonlyArray<Entry>, JournalError, Journal> =>
  Effect.flatMap(Journal, (journal) => journal.read({ filter: { correlationId: commandId } }))

const tagsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries.map((entry) => entry.tag).filter((tag) => tag !== "LeaseTaken")

const chunksOf = (entry: Entry) => {
  const event = decodeEventEntry(ComputeBranch, entry)
  return event?._tag === "Success" && event.success._tag === "ShellOutputChunks" ? event.success.chunks : []
}

const sh = (script: string, options?: Parameters<typeof ShellExec.shell>[1]): ShellExec =>
  ShellExec.shell(script, { commandId: "c1", ...options })

/** The journal of the context, with an append that is another. */
const withAppend = (append: (journal: JournalService) => JournalService["append"]) =>
  Layer.effect(Journal, Effect.map(Journal, (journal) => ({ ...journal, append: append(journal) })))

const isGone = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

const full = JournalError.because({ _tag: "Full", code: "ENOSPC" }, "journal: nothing was appended: disk full (ENOSPC)")

describe("JournaledShell", () => {
  it.live("runs a command id once, when it is told so, of several who ask at the same time", () =>
    Effect.gen(function* () {
      const asked = Array.from({ length: 5 }, () => Effect.result(Shell.run(sh("echo out"))))
      const results = yield* Effect.all(asked, { concurrency: "unbounded" })
      const [ran, ...others] = results.toSorted((a, b) => a._tag === b._tag ? 0 : a._tag === "Success" ? -1 : 1)
      expect(ran).toMatchObject({ _tag: "Success", success: { stdout: "out\n" } })
      for (const other of others) {
        expect(other).toMatchObject({ failure: { reason: { _tag: "JournalFailed", what: "Conflict" } } })
      }
      expect(tagsOf(yield* entriesOf("c1")).filter((tag) => tag === "ShellExec")).toHaveLength(1)
    }).pipe(Effect.provide(journaled({ once: true }))))

  it.effect("fails with a typed error for an option that is unknown or no time span", () =>
    Effect.gen(function* () {
      const wrong: JournaledShell.JournaledShellOptions = { outageTimeout: -1 }
      const layers = [
        LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, wrong)),
        JournaledShell.layerWith(wrong).pipe(Layer.provide(LocalShell.layer), Layer.provide(MemoryJournal.layer)),
      ]
      for (const layer of layers) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
        expect(error).toMatchObject({ _tag: "OptionError", option: "outageTimeout" })
      }
      const unknown = { once: false, onec: true } // as plain JavaScript gives it
      const layer = LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, unknown))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      expect(error).toMatchObject({ message: `JournaledShell: unknown option "onec"; did you mean "once"?` })
    }))
})
