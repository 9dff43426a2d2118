import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ShellExec, ShellFault } from "@sluice/shell"
import { ComputeBranch } from "@sluice/shell/daemon"
import { Journal, JournalError, MemoryJournal } from "@sluice/shell/journal"
import {
  draftBranchEntry,
  draftEvent,
  draftRequest,
  type EndCause,
  type HostIdentity,
} from "../../src/branch/Branch.ts"
import { makeCancelledFault, makeLastEvent } from "../../src/compute/makeLastEvent.ts"

const exec = ShellExec.make("make", ["all"], { commandId: "x" })

const host: HostIdentity = { host: "h", machine: "m", bootId: "b", pidNamespace: "none", pid: 7, processStart: "1" }

const lease = (attempt: number) => ({ _tag: "LeaseTaken", attempt, daemonId: "d", host, leaseMillis: 15_000 } as const)

/** The fault of an ending. */
const faultOf = (ending: EndCause<ShellFault>) =>
  Effect.flatMap(Journal, (journal) => makeLastEvent(journal)(exec, ending))

const onJournal = Effect.provide(MemoryJournal.layer)

it.effect("describes the end of a command whose host was lost", () =>
  Effect.gen(function* () {
    const messageOf = (ended: number | undefined, attempts = 1, of = host) =>
      Effect.map(
        faultOf({ _tag: "HostLost", lost: { ...lease(attempts), host: of }, recovered: { ended }, attempts }),
        ({ message }) => message,
      )
    const start = "exec: make was lost with the process that ran it (process 7 on h)"
    expect(yield* messageOf(undefined)).toBe(
      `${start}; its remaining processes could not be searched for from here (HOSTLOST)`,
    )
    expect(yield* messageOf(0)).toBe(`${start}; none of its processes remained (HOSTLOST)`)
    expect(yield* messageOf(1)).toBe(`${start}; 1 process of it was ended (HOSTLOST)`)
    expect(yield* messageOf(3, 2)).toBe(
      "exec: make was lost in attempt 2 with the process that ran it (process 7 on h); 3 processes of it were ended (HOSTLOST)",
    )
    expect(yield* messageOf(0, 1, { ...host, host: "", pid: 0 })).toBe(
      "exec: make was lost with the process that ran it; none of its processes remained (HOSTLOST)",
    )
    const lost = { _tag: "HostLost", lost: lease(1), recovered: { ended: 2 }, attempts: 1 } as const
    expect((yield* faultOf(lost)).reason).toEqual({ _tag: "HostLost", host: "h", pid: 7, ended: 2 })
  }).pipe(onJournal))

it.effect("says how much a lost command had written in its last attempt", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const chunk = (seq: number, content: string, stream: "stdout" | "stderr" = "stdout") =>
      draftEvent(ComputeBranch, {
        _tag: "ShellOutputChunks",
        commandId: "x",
        fromSeq: seq,
        toSeq: seq,
        chunks: [{ content, seq, stream, timestamp: 1 }],
      })
    yield* journal.append([
      draftRequest(ComputeBranch, exec),
      draftBranchEntry(ComputeBranch, "x", lease(1)),
      chunk(0, "of the first"),
      draftBranchEntry(ComputeBranch, "x", lease(2)),
      chunk(0, "é\n"),
      chunk(1, "z".repeat(200_000)),
      chunk(2, "err", "stderr"),
      // Taken over only to be ended: the same attempt.
      draftBranchEntry(ComputeBranch, "x", lease(2)),
    ])
    const fault = yield* faultOf({ _tag: "HostLost", lost: lease(2), recovered: {}, attempts: 2 })
    expect(fault).toMatchObject({ stdout: "", stdoutBytes: 200_003, stderr: "", stderrBytes: 3, stderrBytesOmitted: 0 })
    expect(fault.stdoutBytesOmitted).toBe(200_003 - 65_536)
    expect(ComputeBranch.event.encode(fault)).toMatchObject({ outputEntries: 3, fromSeq: 0, toSeq: 2 })
  }).pipe(onJournal))

it("keeps everything that the shell reported about a cancelled command", () => {
  const told = ShellFault.because("x", { _tag: "Cancelled" }, "exec: cancelled", {
    stdout: "so far",
    stdoutBytes: 6,
    executable: "/usr/bin/make",
    exception: "E",
    survivors: [7],
  })
  const fault = makeCancelledFault(exec, "shutdown", told)
  expect(fault).toMatchObject({ ...told, reason: { _tag: "Cancelled", by: "shutdown" } })
  expect(fault.message).toContain("exec: make was cancelled: its daemon was shut down")
  expect(fault.message).toContain("7")
})

it.effect("passes on a fault of the shell, and describes any other failure", () =>
  Effect.gen(function* () {
    const fault = ShellFault.because("x", { _tag: "Throttled", maxConcurrency: 1, maxQueued: 0 }, "exec: no")
    expect(yield* faultOf({ _tag: "Broken", cause: Cause.fail(fault) })).toBe(fault)
    expect(yield* faultOf({ _tag: "Broken", cause: Cause.die(new Error("odd")) })).toMatchObject({
      reason: { _tag: "Unknown" },
      message: "exec: make was ended: its service failed (UNKNOWN)",
      exception: expect.stringContaining("odd"),
    })
    expect(yield* faultOf({ _tag: "Unfinished" })).toMatchObject({ reason: { _tag: "Unknown" } })
  }).pipe(onJournal))

it.effect("says why it was not run, or not to its end", () =>
  Effect.gen(function* () {
    const messageOf = (ending: EndCause<ShellFault>) => Effect.map(faultOf(ending), ({ message }) => message)
    expect(yield* messageOf({ _tag: "NotTaken", afterMillis: 30_000, why: "noDaemon" })).toBe(
      "exec: make was not started: no daemon was running for 30s (TIMEOUT)",
    )
    expect(yield* messageOf({ _tag: "NotTaken", afterMillis: 90_000, why: "busy" })).toBe(
      "exec: make was not started: every daemon was busy for 1m 30s (TIMEOUT)",
    )
    for (
      const [by, text] of [
        ["shutdown", "was cancelled: its daemon was shut down"],
        ["consumer", "was ended: its output was closed"],
        ["signal", "was cancelled"],
        [undefined, "was cancelled"],
        ["Jo", "was cancelled by Jo"],
      ] as const
    ) {
      expect(yield* messageOf({ _tag: "Cancelled", by })).toBe(`exec: make ${text} (CANCELLED)`)
    }
    const error = JournalError.because({ _tag: "Full", code: "ENOSPC" }, "journal: nothing was appended (ENOSPC)")
    expect(yield* faultOf({ _tag: "JournalFailed", error })).toMatchObject({
      reason: { _tag: "JournalFailed", what: "Full", code: "ENOSPC" },
    })
  }).pipe(onJournal))
