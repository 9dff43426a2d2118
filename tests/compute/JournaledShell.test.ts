import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec, type ShellFault } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { ComputeBranch } from "@sluice/shell/daemon"
import {
  type Entry,
  Journal,
  JournaledShell,
  JournalError,
  type JournalService,
  MemoryJournal,
  Redactor,
} from "@sluice/shell/journal"
import { isLastEvent, RunPlayer } from "../../src/compute/RunPlayer.ts"
import { decodeEventEntry } from "../../src/branch/BranchDefinition.ts"
import { eventually, pause } from "../support/eventually.ts"

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
  it.live("runs a command id once if configured, for several concurrent requests", () =>
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

  it.live("keeps a whole output that is more than its journal takes at once", () =>
    Effect.gen(function* () {
      const output = yield* Shell.run(sh("yes | head -c 6000000"))
      expect([output.stdout.length, output.stdoutBytesOmitted]).toEqual([6_000_000, 0])
      expect(tagsOf(yield* entriesOf("c1")).at(-1)).toBe("ShellOutput")
    }).pipe(Effect.provide(journaled({}, { maxBytes: 8_000_000 }))))

  it.live("keeps the request, the output and the end of a command, and changes nothing for the caller", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(Shell.exec(sh("echo out; echo err >&2; exit 3")))
      const entries = yield* entriesOf("c1")
      expect(tagsOf(entries).at(0)).toBe("ShellExec")
      expect(tagsOf(entries).at(-1)).toBe("ShellOutput")
      const player = new RunPlayer(sh(""))
      const played = entries.flatMap<typeof events[number] | ShellFault>((entry) => {
        const event = decodeEventEntry(ComputeBranch, entry)
        if (event?._tag !== "Success") return []
        if (event.success._tag === "ShellOutputChunks") return player.chunks(event.success)
        return isLastEvent(event.success) ? [player.end(event.success)] : []
      })
      expect(played).toEqual(events)
    }).pipe(Effect.provide(journaled())))

  it.live("has every event before its consumer receives it", () =>
    Effect.gen(function* () {
      const behind = yield* Shell.exec(sh("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.01; done")).pipe(
        Stream.mapEffect((event) =>
          Effect.map(entriesOf("c1"), (entries) => {
            const stored = JSON.stringify(entries.map((entry) => entry.body))
            return event._tag === "ShellOutput"
              ? !stored.includes('ShellOutput"')
              : !stored.includes(JSON.stringify(event.content))
          })
        ),
        Stream.filter((missing) => missing),
        Stream.runCollect,
      )
      expect(behind).toEqual([])
    }).pipe(Effect.provide(journaled())))

  it.live("keeps a fault, with the partial output where it belongs", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(Stream.runDrain(Shell.exec(sh("echo first; sleep 60", { timeout: 300 }))))
      expect(fault).toMatchObject({ reason: { _tag: "Timeout" }, stdout: "first\n" })
      const entries = yield* entriesOf("c1")
      expect(tagsOf(entries)).toEqual(["ShellExec", "ShellOutputChunks", "ShellFault"])
      expect(entries.at(-1)?.body).toMatchObject({
        reason: { _tag: "Timeout" },
        outputEntries: 1,
        fromSeq: 0,
        toSeq: 0,
      })
    }).pipe(Effect.provide(journaled())))

  it.live("records the end of a command whose output was closed", () =>
    Effect.gen(function* () {
      yield* Shell.exec(sh("yes")).pipe(Stream.take(1), Stream.runDrain)
      const entries = yield* entriesOf("c1")
      expect(tagsOf(entries).at(-1)).toBe("ShellFault")
      expect(entries.at(-1)?.body).toMatchObject({
        reason: { _tag: "Cancelled", by: "consumer" },
        message: "exec: yes was ended: its output was closed (CANCELLED)",
      })
    }).pipe(Effect.provide(journaled())))

  it.live("records why its consumer has failed", () =>
    Effect.gen(function* () {
      const full = Effect.fail(new Error("no space is left"))
      yield* Effect.flip(Stream.runForEach(Shell.exec(sh("yes")), () => full))
      const [last] = (yield* entriesOf("c1")).slice(-1)
      expect(last?.body).toMatchObject({
        reason: { _tag: "Cancelled", by: "consumer" },
        message: "exec: yes was ended: its output was closed: no space is left (CANCELLED)",
      })
    }).pipe(Effect.provide(journaled())))

  it.live("records that its consumer was interrupted", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(sh("echo here; sleep 60"))))
      yield* journal.waitFor({ filter: { tags: ["ShellOutputChunks"] } })
      yield* Fiber.interrupt(fiber)
      const entries = yield* entriesOf("c1")
      expect(tagsOf(entries)).toEqual(["ShellExec", "ShellOutputChunks", "ShellFault"])
      expect(entries.at(-1)?.body).toMatchObject({ stdoutBytes: 5, stderrBytes: 0, stdoutBytesOmitted: 0 })
    }).pipe(Effect.provide(journaled())))

  it.live("keeps bytes that are not text", () =>
    Effect.gen(function* () {
      yield* Stream.runDrain(Shell.bytes(sh("printf '\\377\\000\\376'")))
      const chunks = (yield* entriesOf("c1")).find((entry) => entry.tag === "ShellOutputChunks")
      expect(chunks?.body).toMatchObject({ chunks: [{ base64: "/wD+", seq: 0, stream: "stdout" }] })
    }).pipe(Effect.provide(journaled())))

  it.live("has the output of a command that is not streamed while it runs, in turn", () =>
    Effect.gen(function* () {
      const script = "echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three; sleep 60"
      const fiber = yield* Effect.forkChild(Shell.run(sh(script)))
      const recorded = Effect.map(entriesOf("c1"), (entries) => entries.flatMap(chunksOf))
      let chunks = yield* recorded
      while (chunks.length < 3) {
        yield* pause(20)
        chunks = yield* recorded
      }
      expect(chunks.map(({ content, stream }) => [stream, content])).toEqual([
        ["stdout", "one\n"],
        ["stderr", "two\n"],
        ["stdout", "three\n"],
      ])
      const times = chunks.map(({ timestamp }) => timestamp)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(fiber.pollUnsafe()).toBe(undefined)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(journaled())))

  it.live("keeps the whole output of a command that is not streamed, once", () =>
    Effect.gen(function* () {
      const output = yield* Shell.run(sh("seq 1 40000"))
      const entries = yield* entriesOf("c1")
      expect(tagsOf(entries).slice(1, -1).every((tag) => tag === "ShellOutputChunks")).toBe(true)
      const text = entries.flatMap(chunksOf).map((chunk) => chunk.content).join("")
      expect(text).toBe(output.stdout)
      const last = entries.at(-1)?.body
      const places = entries.filter(({ tag }) => tag === "ShellOutputChunks").map(({ body }) => body)
      const [fromSeq, toSeq] = [places[0]?.["fromSeq"], places.at(-1)?.["toSeq"]]
      const { stdoutBytes } = output
      expect(last).toMatchObject({ stdoutBytes, outputEntries: places.length, fromSeq, toSeq })
      // An empty text would say that there is none.
      expect(last).not.toHaveProperty("stdout")
    }).pipe(Effect.provide(journaled())))

  it.live("contains no secret of the arguments, the environment, the input or the output", () =>
    Effect.gen(function* () {
      const exec = ShellExec.make("sh", [
        "-c",
        `printf '%s' "$1" | cut -c1-4 | tr -d '\\n'; sleep 0.3; printf '%s' "$1" | cut -c5-; echo "$TOKEN"; cat`,
        "sh",
        Redacted.make("arg-hunter2", { label: "arg" }),
      ], {
        commandId: "c1",
        env: { TOKEN: Redacted.make("env-hunter3") },
        input: Redacted.make("input-hunter4\n"),
      })
      const text = yield* Stream.runFold(
        Shell.exec(exec),
        () => "",
        (all, event) => event._tag === "ShellOutput" ? all : all + event.content,
      )
      expect(text).toBe("arg-hunter2\nenv-hunter3\ninput-hunter4\n")
      const journal = yield* Journal
      const stored = JSON.stringify(yield* journal.read())
      expect(stored).not.toMatch(/hunter|arg-h/)
      expect(stored).toContain("<redacted:arg>")
    }).pipe(Effect.provide(journaled())))

  it.live("redacts arguments, environment and output in the journal, not for the caller", () =>
    Effect.gen(function* () {
      const exec = ShellExec.make("sh", ["-c", "echo password=$P; echo password=$P >&2"], {
        commandId: "c1",
        env: { P: "swordfish" },
      })
      const output = yield* Shell.run(exec)
      expect(output.stdout).toBe("password=swordfish\n")
      const journal = yield* Journal
      expect(JSON.stringify(yield* journal.read())).not.toContain("swordfish")
    }).pipe(Effect.provide(journaled({ redactor: Redactor.patterns([{ pattern: /swordfish/ }]) }))))

  it.live("keeps the length and the SHA-256 of a long input", () =>
    Effect.gen(function* () {
      const output = yield* Shell.run(ShellExec.make("wc", ["-c"], { commandId: "c1", input: "x".repeat(10_000_000) }))
      expect(output.stdout.trim()).toBe("10000000")
      const [request] = yield* entriesOf("c1")
      expect(request?.body).toMatchObject({
        input: {
          _tag: "Redacted",
          label: "10000000 characters, sha256 0c9a42b3d065a64063eca67e98c932fa2e9a077bc7973a421a964a11304c998c",
        },
      })
    }).pipe(Effect.provide(journaled())))

  it.live("journals more output at once than a small journal holds that prunes itself", () =>
    Effect.gen(function* () {
      const output = yield* Shell.run(sh("head -c 5000000 /dev/zero | tr '\\0' x"))
      expect(output.stdout).toHaveLength(5_000_000)
      expect(tagsOf(yield* entriesOf("c1")).at(-1)).toBe("ShellOutput")
    }).pipe(Effect.provide(journaled({}, { chained: false, maxBytes: 500_000 }))))

  it.live("does not run a command that cannot be journaled, and says so", () =>
    Effect.gen(function* () {
      let spawned = 0
      const fault = yield* Effect.flip(Stream.runDrain(Shell.exec(sh("true"), { onSpawn: () => spawned++ })))
      expect(fault).toMatchObject({
        reason: { _tag: "JournalFailed", what: "Full", code: "ENOSPC" },
        message: "exec: true was not run, because it could not be journaled: nothing was appended: disk full (ENOSPC)",
      })
      expect(spawned).toBe(0)
    }).pipe(Effect.provide(
      JournaledShell.layer.pipe(
        Layer.provide(LocalShell.layer),
        Layer.provide(withAppend(() => () => Effect.fail(full))),
        Layer.provide(MemoryJournal.layer),
      ),
    )))

  it.live("ends a command whose output can no longer be journaled", () => {
    let appends = 0
    const failing = withAppend((journal) => (drafts, options) =>
      ++appends > 3 ? Effect.fail(full) : journal.append(drafts, options)
    )
    return Effect.gen(function* () {
      let pid: number | undefined
      const fault = yield* Effect.flip(
        Stream.runDrain(Shell.exec(sh("while :; do echo x; sleep 0.01; done"), { onSpawn: (p) => pid = p.pid })),
      )
      expect(fault).toMatchObject({ reason: { _tag: "JournalFailed" } })
      expect(fault.message).toContain("was ended, because it could not be journaled")
      expect(pid).toBeGreaterThan(0)
      // A process that has been killed is there until it is reaped.
      yield* eventually("the command is gone", () => isGone(pid ?? 0))
    }).pipe(Effect.provide(
      JournaledShell.layer.pipe(
        Layer.provide(LocalShell.layer),
        Layer.provide(failing),
        Layer.provide(MemoryJournal.layer),
      ),
    ))
  })

  it.live("slows a command down when the journal is slow", () => {
    const slow = withAppend((journal) => (drafts, options) => Effect.delay(journal.append(drafts, options), 50))
    return Effect.gen(function* () {
      const journal = yield* Journal
      const fiber = yield* Effect.forkChild(Stream.runDrain(Shell.exec(sh("yes | head -c 20000000"))))
      const written = Effect.map(journal.stats, ({ bytes }) => bytes)
      while ((yield* written) < 100_000) yield* pause(5)
      yield* pause(200)
      // At most one pull for each 50 ms: what is not journaled has not been read, and waits in the pipe.
      const bytes = yield* written
      expect(bytes).toBeLessThan(20_000_000)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(
      JournaledShell.layer.pipe(
        Layer.provide(LocalShell.layer),
        Layer.provideMerge(slow),
        Layer.provide(MemoryJournal.layerWith({ maxBytes: Infinity })),
      ),
    ))
  })

  it.live("journals every command of a pipeline, but not the data between them", () =>
    Effect.gen(function* () {
      yield* Stream.runDrain(Shell.pipeline([
        ShellExec.make("echo", ["between"], { commandId: "a" }),
        ShellExec.make("tr", ["a-z", "A-Z"], { commandId: "b" }),
      ]))
      expect(tagsOf(yield* entriesOf("a"))).toEqual(["ShellExec", "ShellOutput"])
      expect((yield* entriesOf("a")).at(-1)?.body).toMatchObject({ stdoutBytes: 8 })
      expect(tagsOf(yield* entriesOf("b"))).toEqual(["ShellExec", "ShellOutputChunks", "ShellOutput"])
    }).pipe(Effect.provide(journaled())))
})

describe("JournaledShell.over", () => {
  it.live("provides the shell of a leaf, behind a policy and with its journal, in one pipe", () =>
    Effect.gen(function* () {
      const policy = AccessPolicy.make({ allowedCommands: ["echo"] })
      const layer = LocalShell.layer.pipe(AccessPolicy.guard(policy), JournaledShell.over(MemoryJournal.layer))
      const program = Effect.gen(function* () {
        yield* Shell.run(ShellExec.make("echo", ["a"], { commandId: "c1" }))
        yield* Effect.flip(Shell.run(ShellExec.make("ls", [], { commandId: "c2" })))
        return (yield* Journal.read({})).map(({ correlationId, tag }) => [correlationId, tag])
      })
      expect(yield* Effect.provide(program, layer)).toEqual([
        ["c1", "ShellExec"],
        ["c1", "LeaseTaken"],
        ["c1", "ShellOutputChunks"],
        ["c1", "ShellOutput"],
        ["c2", "ShellExec"],
        ["c2", "LeaseTaken"],
        ["c2", "ShellFault"],
      ])
    }))

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
