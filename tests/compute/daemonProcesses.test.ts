/** Daemons in processes of their own, on one SQLite file: they die, sleep, and are told to end. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { CommandId, LocalShell, Shell, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
import { type Entry, Journal } from "@sluice/shell/journal"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { loadBuiltins } from "../../src/journal/stores/sqlite/loadBuiltins.ts"
import { bundled } from "../support/bundled.ts"
import { eventually, pause } from "../support/eventually.ts"
import { type Workshop, workshop } from "../support/workshop.ts"

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const family = here("../fixtures/family.sh")
const members = ["child", "stubborn", "escapee"]

const encode = Schema.encodeSync(Schema.fromJsonString(ShellExec))

const thisRuntime = runtimeNames.find((name) => process.versions[name] !== undefined) ?? "node"

/** Another process. */
interface Other {
  readonly pid: number
  readonly signal: (name: "SIGTERM" | "SIGSTOP" | "SIGCONT") => void
  /** How it ends: its exit code, or the signal. */
  readonly ended: Effect.Effect<number | string | null>
  readonly kill: Effect.Effect<unknown>
}

/** By its id, not by `child.kill`: on Deno that believes a process to be dead after any signal. */
const otherOf = (child: ChildProcess): Other => {
  const { pid } = child
  if (pid === undefined) throw new Error("it was not started")
  const exit = new Promise<number | string | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal))
  })
  let over = false
  void exit.then(() => over = true)
  const ended = Effect.promise(() => exit)
  return {
    pid,
    signal: (name) => void process.kill(pid, name),
    ended,
    kill: Effect.suspend(() => {
      if (!over) process.kill(pid, "SIGKILL")
      return ended
    }),
  }
}

let hostFile = ""

beforeAll(async () => {
  hostFile = await bundled("tests/compute/daemonHost.fixture.ts")
})

/** Another process, once it is ready. It does not outlive the test. */
const started = (
  args: ReadonlyArray<string>,
  runtime: (typeof runtimeNames)[number] = thisRuntime,
): Effect.Effect<Other, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program = findRuntime(runtime, here("../.."))
    if (program === undefined) throw new Error(`no ${runtime}`)
    const flags = runtime === "deno" ? ["run", "-A", "--quiet"] : []
    let said = ""
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const line = [...flags, hostFile, ...args]
        const child = spawn(program, line, { stdio: ["ignore", "pipe", "inherit"] })
        child.stdout.on("data", (data) => void (said += String(data)))
        return otherOf(child)
      }),
      (other) => other.kill,
    )
    yield* eventually(`${args.join(" ")} is ready`, () => said.includes("ready"))
    return other
  })

const daemonProcess = (
  path: string,
  name: string,
  lease = 15_000,
  runtime?: (typeof runtimeNames)[number],
  maxOpen = 1_000,
) => started([path, "daemon", name, String(lease), String(maxOpen)], runtime)

/**
 * A family whose members write into a directory of its own while they live, and the id of its command: what is left of a command is found by its id,
 * on the whole machine, and others may run these tests as well.
 */
const familyIn = ({ makeDirectory, size }: Workshop, name = "family") => {
  const directory = makeDirectory(name)
  const id = CommandId.make()
  const sizes = () => members.map((member) => size(`${name}/${member}`))
  return {
    id,
    exec: (options: ShellExecOptions = {}) =>
      ShellExec.make("sh", [family, directory, ...members], { commandId: id, grace: "300 millis", ...options }),
    allRun: eventually("all processes run", () => sizes().every((each) => each > 2)),
    expectDead: Effect.gen(function* () {
      const before = sizes()
      yield* pause(300)
      expect(sizes()).toEqual(before)
    }),
  }
}

/** Stops a process between its transactions: one that holds the lock of the journal would stop the others, too. */
const stopUnlocked = ({ signal }: Other, path: string) =>
  eventually("the process is stopped without a lock", () => {
    signal("SIGSTOP")
    const { DatabaseSync } = loadBuiltins().sqlite
    const database = new DatabaseSync(path, { timeout: 100 })
    try {
      database.exec("BEGIN IMMEDIATE")
      database.exec("ROLLBACK")
      return true
    } catch {
      signal("SIGCONT")
      return false
    } finally {
      database.close()
    }
  })

/** A journal in a file of the test's own, and a shell that asks in it. */
const onFile = <A, E>(
  test: (files: Workshop, path: string) => Effect.Effect<A, E, Shell | Journal | Scope.Scope>,
) =>
  Effect.gen(function* () {
    const files = yield* workshop
    const path = files.path("journal.db")
    return yield* Effect.scoped(test(files, path)).pipe(
      Effect.provide(DaemonShell.layer.pipe(Layer.provideMerge(SqliteJournal.layer({ path })))),
    )
  })

/** A daemon of this process. */
const daemonHere = (name: string, lease = 900) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* Layer.build(
      ShellDaemon.layerWith({ name, lease }).pipe(
        Layer.provide(LocalShell.layer),
        Layer.provide(Layer.succeed(Journal, journal)),
      ),
    )
  })

const entriesOf = (commandId: string): Effect.Effect<ReadonlyArray<Entry>, unknown, Journal> =>
  Effect.flatMap(Journal, (journal) => journal.read({ filter: { correlationId: commandId } }))

/** Tags, however many entries the output took. */
const tagsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries.map(({ tag }) => tag).filter((tag, index, all) => tag !== "ShellOutputChunks" || all[index - 1] !== tag)

/** Asks for a command in the background, and goes on when it has said that it is ready. */
const asked = (exec: ShellExec) =>
  Effect.gen(function* () {
    let heard = ""
    const run = Shell.exec(exec).pipe(
      Stream.tap((event) => Effect.sync(() => void (event._tag === "ShellOutputChunk" && (heard += event.content)))),
      Stream.runCollect,
    )
    const fiber = yield* Effect.forkChild(run)
    yield* eventually("it is ready", () => heard.includes("ready"))
    return fiber
  })

const faultOf = (exec: ShellExec) => Effect.forkChild(Effect.flip(Stream.runDrain(Shell.exec(exec))))

describe.runIf(process.platform === "linux")("daemons in processes of their own", () => {
  // It starts all three runtimes: once is enough.
  it.live.runIf(thisRuntime === "deno")(
    "run each of 200 commands exactly once, one daemon on each runtime",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          yield* Effect.forEach(runtimeNames, (name) => daemonProcess(path, name, 15_000, name), {
            concurrency: "unbounded",
          })
          const ids = Array.from({ length: 200 }, () => CommandId.make())
          const script = 'echo "$1" >> "$2"; echo "did $1"'
          // No `Effect.forEach` with a limit: in Effect 4.1.0 it runs an item twice when one ends while the next begins.
          const outputs = yield* Stream.fromIterable(ids).pipe(
            Stream.mapEffect(
              (commandId) =>
                Shell.run(ShellExec.make("sh", ["-c", script, "sh", commandId, files.path("ran")], { commandId })),
              { concurrency: 50 },
            ),
            Stream.runCollect,
          )
          expect(outputs.map(({ stdout }) => stdout)).toEqual(ids.map((id) => `did ${id}\n`))
          expect(files.read("ran").trim().split("\n").sort()).toEqual([...ids].sort())
          const journal = yield* Journal
          const leases = yield* journal.read({ filter: { tags: ["LeaseTaken"] } })
          expect(leases.length).toBe(200)
          const daemons = new Set(leases.map(({ body }) => String(body?.["daemonId"]).split("-")[0]))
          expect([...daemons].sort()).toEqual([...runtimeNames].sort())
        })
      ),
  )

  it.live(
    "run each command once for callers that Effect.forEach starts a few at a time",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          yield* daemonProcess(path, "a")
          yield* daemonProcess(path, "b")
          const all = Array.from({ length: 120 }, (_, n) => n)
          const started: Array<number> = []
          const one = (n: number) => {
            started.push(n)
            return Shell.run(ShellExec.shell(`echo ${n} >> '${files.path("ran")}'`))
          }
          yield* Effect.forEach(all, one, { concurrency: 12, discard: true })
          expect(started).toEqual(all)
          expect(files.read("ran").trim().split("\n").map(Number).sort((a, b) => a - b)).toEqual(all)
        })
      ),
    60_000,
  )

  it.live(
    "run each command once in any daemon with a free slot, and throttle the rest",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          for (const name of ["a", "b"]) yield* daemonProcess(path, name, 15_000, thisRuntime, 8)
          const ids = Array.from({ length: 60 }, () => CommandId.make())
          // Eight fit a daemon: four run and four wait.
          const script = 'echo "$1" >> "$2"; until [ -e "$3" ]; do sleep 0.05; done'
          const run = (commandId: CommandId) =>
            Shell.run(
              ShellExec.make("sh", ["-c", script, "sh", commandId, files.path("ran"), files.path("go")], { commandId }),
            ).pipe(
              Effect.as("ran"),
              Effect.catch((fault) => Effect.succeed(fault.reason._tag)),
            )
          const all = yield* Effect.forkChild(Effect.forEach(ids, run, { concurrency: "unbounded" }))
          const journal = yield* Journal
          const refused = journal.read({ filter: { tags: ["ShellFault"] } })
          yield* eventually("both run four", () => files.read("ran").split("\n").length > 8)
          while ((yield* refused).length < ids.length - 12) yield* pause(20)
          files.write("go", "")
          const outcomes = yield* Fiber.join(all)
          const ran = ids.filter((_, index) => outcomes[index] === "ran")
          expect(new Set(outcomes)).toEqual(new Set(["ran", "Throttled"]))
          expect(files.read("ran").trim().split("\n").sort()).toEqual([...ran].sort())
          // What waits is in the memory of both; a slow machine may refuse some of it before it is seen who runs what.
          expect(ran.length).toBeGreaterThanOrEqual(8)
          expect(ran.length).toBeLessThanOrEqual(12)
        })
      ),
  )

  it.live(
    "that are killed lose their commands: leftover processes are ended, and the fault names the daemon",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead, id } = familyIn(files)
          const host = yield* daemonProcess(path, "lost")
          const fiber = yield* asked(exec())
          yield* allRun
          yield* host.kill
          yield* daemonHere("heir")
          const fault = yield* Effect.flip(Fiber.join(fiber))
          expect(fault.reason).toMatchObject({ _tag: "HostLost", pid: host.pid, ended: expect.any(Number) })
          expect(fault.reason._tag === "HostLost" && fault.reason.ended).toBeGreaterThan(members.length)
          expect(fault.message).toMatch(/^exec: sh was lost .*process \d+ on .*were ended \(HOSTLOST\)$/)
          // What it had written.
          expect(fault).toMatchObject({ stdout: "ready\n", stdoutBytes: 6, stdoutBytesOmitted: 0 })
          yield* expectDead
          expect(tagsOf(yield* entriesOf(id))).toEqual([
            "ShellExec",
            "LeaseTaken",
            "ShellOutputChunks",
            "LeaseTaken",
            "ShellFault",
          ])
        })
      ),
  )

  it.live(
    "that are killed are noticed long before their lease has run out, or a third of it",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead } = familyIn(files)
          const tenMinutes = 600_000
          yield* daemonHere("heir", tenMinutes)
          const busy = ["a", "b", "c", "d"].map((name) => `while [ ! -e ${files.path(name)} ]; do sleep 0.05; done`)
          // The one that was there first has no place, so the other takes the command.
          const fibers = yield* Effect.forEach(busy, (script) => faultOf(ShellExec.shell(script)))
          const journal = yield* Journal
          const leases = journal.read({ filter: { tags: ["LeaseTaken"] } })
          while ((yield* leases).length < busy.length) yield* pause(20)
          const host = yield* daemonProcess(path, "lost", tenMinutes)
          const fiber = yield* faultOf(exec())
          yield* allRun
          yield* host.kill
          expect((yield* Fiber.join(fiber)).reason).toMatchObject({ _tag: "HostLost", pid: host.pid })
          yield* expectDead
          yield* Effect.forEach(fibers, Fiber.interrupt, { discard: true })
        })
      ),
  )

  it.live(
    "that are killed are noticed by daemons that were there before, within the time of their own lease",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead } = familyIn(files)
          const host = yield* daemonProcess(path, "lost")
          const fiber = yield* faultOf(exec())
          yield* allRun
          yield* daemonHere("heir")
          yield* host.kill
          expect((yield* Fiber.join(fiber)).reason).toMatchObject({ _tag: "HostLost", pid: host.pid })
          yield* expectDead
        })
      ),
  )

  it.live(
    "rerun repeatable commands once, and leave no process of the first run",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead, id } = familyIn(files)
          const script =
            'echo run >> "$1"; n=$(wc -l < "$1"); echo "run $n"; [ "$n" -ge 2 ] && exit 7; shift; exec "$@"'
          const args = ["-c", script, "sh", files.path("runs"), exec().command, ...exec().arguments]
          const host = yield* daemonProcess(path, "lost")
          const fiber = yield* asked(ShellExec.make("sh", args, {
            commandId: id,
            grace: "300 millis",
            onHostLoss: "rerun",
          }))
          yield* allRun
          yield* host.kill
          yield* daemonHere("heir")
          const events = yield* Fiber.join(fiber)
          expect(events.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 7 })
          const chunks = events.filter((event) => event._tag === "ShellOutputChunk")
          expect(chunks.map(({ content }) => content).join("")).toBe("run 1\nready\nrun 2\n")
          expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index))
          yield* expectDead
          yield* pause(1_200)
          expect(files.read("runs")).toBe("run\nrun\n")
          const leases = (yield* entriesOf(id)).filter(({ tag }) => tag === "LeaseTaken")
          expect(leases.map(({ body }) => body?.["attempt"])).toEqual([1, 2])
        })
      ),
  )

  it.live(
    "that slept past their lease append nothing when they wake",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead, id } = familyIn(files)
          const host = yield* daemonProcess(path, "sleeper", 900)
          const fiber = yield* faultOf(exec())
          yield* allRun
          yield* stopUnlocked(host, path)
          yield* daemonHere("heir")
          // Its process lives: only time tells.
          expect((yield* Fiber.join(fiber)).reason).toMatchObject({ _tag: "HostLost", pid: host.pid })
          yield* expectDead
          const before = yield* entriesOf(id)
          host.signal("SIGCONT")
          yield* pause(1_500)
          expect(yield* entriesOf(id)).toEqual(before)
          // It is none the worse for it, and says goodbye.
          host.signal("SIGTERM")
          expect(yield* host.ended).toBe(0)
          const journal = yield* Journal
          const goodbyes = yield* journal.read({ filter: { tags: ["DaemonCompleted"] } })
          expect(goodbyes.map(({ body }) => String(body?.["daemonId"]).split("-")[0])).toEqual(["sleeper"])
          expect(yield* entriesOf(id)).toEqual(before)
        })
      ),
  )

  it.live(
    "end their commands on shutdown, and report each",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const first = familyIn(files, "first")
          const second = familyIn(files, "second")
          const host = yield* daemonProcess(path, "d")
          const fibers = [yield* faultOf(first.exec()), yield* faultOf(second.exec({ streamOutput: false }))]
          yield* first.allRun
          yield* second.allRun
          host.signal("SIGTERM")
          for (const fiber of fibers) {
            const fault = yield* Fiber.join(fiber)
            expect(fault.reason).toEqual({ _tag: "Cancelled", by: "shutdown" })
            expect(fault.message).toBe("exec: sh was cancelled: its daemon was shut down (CANCELLED)")
            expect(fault.stdout).toBe("ready\n")
          }
          expect(yield* host.ended).toBe(0)
          yield* first.expectDead
          yield* second.expectDead
          const journal = yield* Journal
          expect((yield* journal.readBackward({ maxEntries: 1 })).map(({ tag }) => tag)).toEqual(["DaemonCompleted"])
        })
      ),
  )

  it.live(
    "end waiting commands on shutdown too, unless another daemon can take them",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const journal = yield* Journal
          const first = yield* daemonProcess(path, "first")
          const leased = (count: number) =>
            Effect.gen(function* () {
              while ((yield* journal.read({ filter: { tags: ["LeaseTaken"] } })).length < count) yield* pause(20)
            })
          const until = (file: string) => ShellExec.shell(`while [ ! -e ${files.path(file)} ]; do sleep 0.05; done`)
          const marking = ShellExec.shell(`echo ran >> ${files.path("ran")}`)
          const busy = yield* Effect.forEach([1, 2, 3, 4], () => faultOf(until("never")))
          yield* leased(4)
          const second = yield* daemonProcess(path, "second")
          const others = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(Shell.run(until("go"))))
          yield* leased(8)
          const waiting = yield* Effect.forkChild(Shell.run(marking))
          while ((yield* entriesOf(marking.commandId)).length === 0) yield* pause(20)

          first.signal("SIGTERM")
          expect(yield* first.ended).toBe(0)
          for (const fiber of busy) expect((yield* Fiber.join(fiber)).reason).toMatchObject({ by: "shutdown" })
          expect(waiting.pollUnsafe()).toBeUndefined()
          files.write("go", "")
          yield* Effect.forEach(others, Fiber.join)
          expect((yield* Fiber.join(waiting)).exitCode).toBe(0)
          expect(files.read("ran")).toBe("ran\n")

          const more = yield* Effect.forEach([1, 2, 3, 4], () => faultOf(until("never")))
          yield* leased(13)
          const late = yield* faultOf(ShellExec.with(marking, { commandId: "late" }))
          while ((yield* entriesOf("late")).length === 0) yield* pause(20)
          second.signal("SIGTERM")
          expect(yield* second.ended).toBe(0)
          for (const fiber of [...more, late]) {
            expect((yield* Fiber.join(fiber)).reason).toEqual({ _tag: "Cancelled", by: "shutdown" })
          }
          expect((yield* entriesOf("late")).map(({ tag }) => tag)).toEqual(["ShellExec", "ShellFault"])
          expect(files.read("ran")).toBe("ran\n")
        })
      ),
    60_000,
  )

  it.live(
    "end a command when its client goes away before its stream is closed",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead, id } = familyIn(files)
          yield* daemonProcess(path, "d")
          const fiber = yield* asked(exec())
          yield* allRun
          yield* Fiber.interrupt(fiber)
          yield* expectDead
          const last = (yield* entriesOf(id)).at(-1)
          expect(last?.body).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled", by: "consumer" } })
        })
      ),
  )

  it.live(
    "end the leftover processes of a killed journaled shell",
    () =>
      onFile((files, path) =>
        Effect.gen(function* () {
          const { allRun, exec, expectDead, id } = familyIn(files)
          const host = yield* started([path, "journaled", encode(exec())])
          yield* allRun
          yield* host.kill
          yield* daemonHere("heir")
          const journal = yield* Journal
          const end = yield* journal.waitFor({ filter: { correlationId: id, tags: ["ShellOutput", "ShellFault"] } })
          expect(end.body).toMatchObject({ _tag: "ShellFault", reason: { _tag: "HostLost", pid: host.pid } })
          yield* expectDead
        })
      ),
  )
})
