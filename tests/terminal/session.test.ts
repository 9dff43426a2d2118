import { describe, expect, it } from "@effect/vitest"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { type SessionOptions, type TerminalError, TerminalSession } from "@sluice/shell/terminal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually, pause } from "../support/eventually.ts"
import { isAlive } from "../host/terminal/isAlive.ts"

const layer = LocalShell.layerWith({ grace: "2 seconds", maxConcurrency: 64 })
const bash = ShellExec.make("bash", ["--norc", "--noprofile"], { env: { PS1: "<p> " } })

const open = (command: string, args: ReadonlyArray<string> = [], options: SessionOptions = {}) =>
  TerminalSession.open(ShellExec.make(command, [...args]), options)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-terminal-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const reasonOf = (error: TerminalError) => error.reason

describe("TerminalSession", { concurrent: true }, () => {
  it.live("types, waits and reads the screen of a shell", () =>
    Effect.gen(function* () {
      const session = yield* TerminalSession.open(bash, { cols: 60, rows: 10 })
      yield* session.waitFor("<p> ")
      yield* session.write("echo $((6 * 7)); stty size; echo $TERM\n")
      const { match, screen } = yield* session.waitFor(/xterm-256color\s+<p> $/)
      expect(match).toContain("xterm-256color")
      expect(screen.lines.slice(1, 4)).toEqual(["42", "10 60", "xterm-256color"])
      expect(screen).toMatchObject({
        cols: 60,
        rows: 10,
        alternate: false,
        cursor: { row: 4, column: 4, visible: true },
      })
      yield* session.sendKeys("Ctrl-D")
      expect(yield* session.exit).toMatchObject({ exitCode: 0 })
      const error = yield* Effect.flip(session.write("x"))
      expect(reasonOf(error)).toEqual({ _tag: "Ended", exitCode: 0 })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("edits a file with vim", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "a.txt")
      writeFileSync(path, "one\ntwo\n")
      const session = yield* open("vim", ["-u", "NONE", "-N", "-n", path])
      yield* session.waitFor({ screen: "two" })
      expect(yield* session.screen).toMatchObject({ alternate: true })
      yield* session.sendKeys("Down", { text: "Oinserted" }, "Escape")
      yield* session.waitFor({ screen: "inserted" })
      expect((yield* session.screen).lines.slice(0, 3)).toEqual(["one", "inserted", "two"])
      yield* session.sendKeys({ text: ":wq" }, "Enter")
      expect(yield* session.exit).toMatchObject({ exitCode: 0 })
      expect(readFileSync(path, "utf8")).toBe("one\ninserted\ntwo\n")
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("pages with less, by keys of the application mode", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "numbers.txt")
      writeFileSync(path, Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join("\n"))
      const session = yield* open("less", [path], { rows: 10 })
      yield* session.waitFor({ screen: "line 9" })
      yield* session.sendKeys("PageDown")
      yield* session.waitFor({ screen: "line 18" })
      yield* session.sendKeys("Down", "Down")
      yield* session.waitFor({ screen: "line 20" })
      yield* session.resize({ cols: 80, rows: 20 })
      yield* session.waitFor({ screen: "line 30" })
      yield* session.sendKeys({ text: "G" })
      yield* session.waitFor({ screen: "line 200" })
      yield* session.sendKeys({ text: "q" })
      expect(yield* session.exit).toMatchObject({ exitCode: 0 })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("watches top, and Python answers", () =>
    Effect.gen(function* () {
      const top = yield* open("top", ["-d", "0.2"])
      yield* top.waitFor({ screen: "PID" })
      expect(Number(/Tasks:\s*(\d+)/.exec((yield* top.screen).text)?.[1])).toBeGreaterThan(0)
      yield* top.sendKeys({ text: "q" })
      expect(yield* top.exit).toMatchObject({ exitCode: 0 })
      const python = yield* open("python3", ["-q", "-i", "-c", "print('READY')"])
      yield* python.waitFor("READY")
      yield* python.write("print(2 ** 64)\n")
      yield* python.waitFor("18446744073709551616")
      yield* python.sendKeys("Ctrl-D")
      yield* python.exit
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("answers prompts for a password, which is not shown", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "key")
      const make = yield* open("ssh-keygen", ["-q", "-t", "ed25519", "-N", "first", "-f", path])
      yield* make.exit
      const session = yield* open("ssh-keygen", ["-p", "-f", path])
      yield* session.waitFor("old passphrase:")
      yield* session.write("first\n")
      yield* session.waitFor("new passphrase")
      yield* session.write("second\n")
      yield* session.waitFor("again:")
      yield* session.write("second\n")
      expect(yield* session.exit).toMatchObject({ exitCode: 0 })
      expect((yield* session.screen).text).not.toMatch(/first|second/)
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("shows wide characters and characters cut by a read", () =>
    Effect.gen(function* () {
      const session = yield* open("sh", [
        "-c",
        "printf 'a\\344\\270'; sleep 0.2; printf '\\255b \\360\\237'; sleep 0.2; printf '\\230\\200.\\n'; exec sleep 9",
      ])
      yield* session.waitFor("😀.")
      expect(yield* session.screen).toMatchObject({ text: "a中b 😀." })
      expect(Array.from((yield* session.screen).text)).toEqual(["a", "中", "b", " ", "😀", "."])
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("never passes control sequences on in text or title", () =>
    Effect.gen(function* () {
      const session = yield* open("sh", [
        "-c",
        "printf '\\033]2;a\\001title\\007\\033[31mred\\033[0m \\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\ \\302\\2331m.\\n'; exec sleep 9",
      ])
      yield* session.waitFor({ screen: "link" })
      const { text, title } = yield* session.screen
      expect(text).toMatch(/^red link/)
      expect(`${text}${title}`.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("pastes lines as one piece where the program asked for it", () =>
    Effect.gen(function* () {
      const session = yield* TerminalSession.open(bash)
      yield* session.waitFor("<p> ")
      yield* session.paste("echo one\necho two")
      yield* session.waitFor("echo two")
      yield* Effect.sleep(100)
      // Nothing of it has run: the shell waits for Enter.
      expect((yield* session.screen).lines.filter((line) => line === "one")).toEqual([])
      yield* session.sendKeys("Enter")
      yield* session.waitFor({ screen: /^two$/m })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("no line of a paste runs before Enter, whatever it contains", () =>
    Effect.forEach(["\x1b[20\x1b[201~1~\r", "\x1a", "\x1c"], (end) =>
      Effect.gen(function* () {
        const session = yield* TerminalSession.open(bash)
        yield* session.waitFor("<p> ")
        yield* session.paste(`one${end}echo $((40+2))\n`)
        yield* session.waitFor("40+2")
        yield* Effect.sleep(100)
        expect((yield* session.screen).text).not.toMatch(/^42/m)
      }).pipe(Effect.scoped), { concurrency: "unbounded" }).pipe(Effect.provide(layer)))

  it.live("refuses a size or a limit beyond memory", () =>
    Effect.gen(function* () {
      const refused = (options: SessionOptions) =>
        Effect.map(Effect.flip(open("sleep", ["9"], options)), ({ reason }) => reason)
      expect(yield* refused({ cols: 65_535, rows: 65_535 })).toEqual({ _tag: "InvalidArgument", argument: "cols" })
      for (const scrollback of [-1, NaN, 0.5, Infinity]) {
        expect(yield* refused({ scrollback })).toEqual({ _tag: "InvalidArgument", argument: "scrollback" })
      }
      expect(yield* refused({ maxKeptLength: NaN })).toEqual({ _tag: "InvalidArgument", argument: "maxKeptLength" })
      const admission = yield* refused(JSON.parse('{ "admission": "no" }'))
      expect(admission).toEqual({ _tag: "InvalidArgument", argument: "admission" })
      const session = yield* open("sleep", ["9"])
      const error = yield* Effect.flip(session.resize({ cols: 65_535, rows: 65_535 }))
      expect(reasonOf(error)).toMatchObject({ _tag: "InvalidArgument" })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("a wait for silence ends with the command", () =>
    Effect.gen(function* () {
      const session = yield* open("sleep", ["0.1"])
      expect(yield* session.waitFor({ silence: "1 hour" })).toMatchObject({ match: "" })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("finds the text after a sequence that was cancelled", () =>
    Effect.gen(function* () {
      const session = yield* open("sh", ["-c", "printf '\\033]0;title\\030READY> '; exec sleep 9"])
      yield* session.waitFor("READY> ")
      expect(yield* session.screen).toMatchObject({ text: "READY> " })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("a returning client gets exactly the events it missed", () =>
    Effect.gen(function* () {
      const lines = (from: number, to: number): string => `for i in $(seq ${from} ${to}); do echo line $i; done`
      const session = yield* open("sh", ["-c", `stty -echo; ${lines(1, 20)}; read -r _; ${lines(21, 40)}`])
      const first = yield* session.attach({ after: -1 }).pipe(
        Stream.takeUntil((event) => event._tag === "ShellOutputChunk" && event.content.includes("line 20")),
        Stream.runCollect,
      )
      const last = first.at(-1)
      expect(last?._tag).toBe("ShellOutputChunk")
      yield* session.write("\r")
      yield* session.exit
      const rest = yield* session.attach({ after: last?._tag === "ShellOutputChunk" ? last.seq : -1 }).pipe(
        Stream.runCollect,
      )
      const text = [...first, ...rest].map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join("")
      expect(text).toBe(Array.from({ length: 40 }, (_, index) => `line ${index + 1}\r\n`).join(""))
      expect(rest.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("reports lost output and shows the screen instead; a journal has all of it", () =>
    Effect.gen(function* () {
      const script = "stty -echo; for i in $(seq 1 300); do echo line $i; done; read -r _; echo over; exec sleep 9"
      const kept = { maxKeptLength: 400, rows: 10 }
      const missed = Effect.gen(function* () {
        const session = yield* open("sh", ["-c", script], kept)
        yield* session.waitFor("line 300")
        yield* session.write("\r")
        yield* session.waitFor("over")
        return yield* session.attach({ after: -1 }).pipe(
          Stream.takeUntil((event) =>
            event._tag !== "TerminalResized" && "content" in event && event.content.includes("over")
          ),
          Stream.runCollect,
        )
      })
      const [snapshot] = yield* Effect.scoped(missed)
      expect(snapshot).toMatchObject({ _tag: "TerminalSnapshot", content: expect.stringContaining("line 300") })
      expect(snapshot?._tag === "TerminalSnapshot" ? snapshot.lost : 0).toBeGreaterThan(0)

      const journaled = layer.pipe(JournaledShell.over(MemoryJournal.layer))
      const all = yield* missed.pipe(Effect.scoped, Effect.provide(journaled))
      const text = all.map((event) => event._tag === "ShellOutputChunk" ? event.content : `<${event._tag}>`).join("")
      expect(text).toBe(`${Array.from({ length: 300 }, (_, index) => `line ${index + 1}\r\n`).join("")}over\r\n`)
    }).pipe(Effect.provide(layer)))

  it.live("a snapshot repaints the screen for a new client", () =>
    Effect.gen(function* () {
      const session = yield* open("sh", ["-c", "printf '\\033[2J\\033[3;5Hhere\\033[31m red'; exec sleep 9"], {
        cols: 40,
        rows: 8,
      })
      yield* session.waitFor({ screen: "red" })
      const [snapshot] = yield* session.attach().pipe(Stream.take(1), Stream.runCollect)
      const content = snapshot?._tag === "TerminalSnapshot" ? snapshot.content : ""
      const path = join(yield* folder, "screen")
      writeFileSync(path, content)
      const copy = yield* open("sh", ["-c", `cat ${path}; exec sleep 9`], { cols: 40, rows: 8 })
      yield* copy.waitFor({ screen: "red" })
      expect((yield* copy.screen).lines).toEqual((yield* session.screen).lines)
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("a slow reader pauses the command if it asked for back-pressure", () =>
    Effect.gen(function* () {
      const script = "stty -opost; echo ready; read line; yes | head -c 400000"
      const session = yield* open("sh", ["-c", script], { maxKeptLength: 50_000 })
      let length = 0
      const reader = yield* Effect.forkScoped(session.output.pipe(Stream.runForEach((event) =>
        event._tag === "ShellOutputChunk"
          ? Effect.andThen(
            Effect.sync(() => void (length += event.content.length)),
            Effect.sleep(2),
          )
          : Effect.void
      )))
      yield* session.waitFor("ready")

      yield* session.write("\n")
      yield* Fiber.join(reader)
      expect(length).toBe("ready\n\n".length + 400_000)
      // A later client is told that this is not all.
      const late = yield* Effect.flip(Stream.runDrain(session.output))
      expect(late).toMatchObject({ _tag: "TerminalError", reason: { _tag: "OutputLost", chunks: expect.any(Number) } })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("waits no longer than its timeout, and names an unknown key", () =>
    Effect.gen(function* () {
      const session = yield* open("sh", ["-c", "echo ready; exec sleep 9"])
      yield* session.waitFor("ready")
      yield* session.waitFor({ silence: "100 millis" })
      const late = yield* Effect.flip(session.waitFor("never", { timeout: "100 millis" }))
      expect(reasonOf(late)).toMatchObject({ _tag: "WaitTimeout", afterMillis: 100, screen: "ready" })
      const key = yield* Effect.flip(session.sendKeys("Alt-Nothing"))
      expect(reasonOf(key)).toEqual({ _tag: "InvalidArgument", argument: "keys" })
      const size = yield* Effect.flip(session.resize({ cols: 0, rows: 5 }))
      expect(reasonOf(size)).toEqual({ _tag: "InvalidArgument", argument: "cols" })
      const misused = (...given: ReadonlyArray<unknown>) =>
        Effect.map(Effect.flip<unknown, TerminalError, never>(Reflect.apply(session.waitFor, session, given)), reasonOf)
      for (
        const [argument, ...given] of [
          ["condition"],
          ["condition", {}],
          ["condition", null],
          ["condition", { screen: 5 }],
          ["silence", { silence: "soon" }],
          ["timeout", "ready", { timeout: "soon" }],
          ["timeOut", "ready", { timeOut: 5 }],
          ["options", "ready", null],
        ]
      ) {
        expect(yield* misused(...given)).toEqual({ _tag: "InvalidArgument", argument })
      }
      const name = yield* Effect.flip(session.signal("SIGNOTHING"))
      expect(reasonOf(name)).toEqual({ _tag: "InvalidArgument", argument: "name" })
      const wait = yield* Effect.forkScoped(Effect.flip(session.waitFor("never")))
      yield* session.signal("SIGKILL")
      expect(reasonOf(yield* Fiber.join(wait))).toMatchObject({ _tag: "Ended", exitCode: 137 })
      expect(yield* session.exit).toMatchObject({ signal: "SIGKILL" })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("answers a program that asks for the cursor's position", () =>
    Effect.gen(function* () {
      const session = yield* open("bash", [
        "-c",
        "printf 'ab\\033[6n'; read -s -d R answer; echo; echo \"${answer#*[}\"",
      ])
      yield* session.exit
      expect((yield* session.screen).text).toContain("1;3")
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("fails like the command that cannot start", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(open("no-such-program"))
      expect(fault).toMatchObject({ _tag: "ShellFault", reason: { _tag: "NotFound" } })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.effect("a write fails when the program does not read for ten seconds, and accepted input is read later", () =>
    Effect.gen(function* () {
      const go = join(yield* folder, "go")
      const script = `stty raw -echo; echo ready; until [ -e ${go} ]; do sleep 0.05; done; head -c $(cat ${go}) | wc -c`
      const session = yield* open("sh", ["-c", script])
      yield* session.waitFor("ready")
      const total = 300_000
      const write = yield* Effect.forkScoped(Effect.flip(session.write("x".repeat(total))))
      // The terminal and the buffers of the session fill in real time.
      yield* pause(300)
      yield* TestClock.adjust("11 seconds")
      const { reason } = yield* Fiber.join(write)
      const left = reason._tag === "InputBlocked" ? reason.bytes : 0
      expect(left).toBeGreaterThan(200_000)
      expect(left).toBeLessThan(total)
      writeFileSync(go, `${total - left}`)
      yield* session.waitFor(String(total - left))
      expect(yield* session.exit).toMatchObject({ exitCode: 0 })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.effect("a defect of the shell stays one", () =>
    Effect.gen(function* () {
      const broken = Shell.make({
        capabilities: { leaf: "broken", pty: true },
        bytes: () => Stream.never,
        exec: () => Stream.die("broken"),
      })
      const exit = yield* Effect.exit(Effect.provideService(open("x"), Shell, broken))
      const session = exit._tag === "Success" ? yield* Effect.exit(exit.value.exit) : exit
      expect(session).toEqual(Exit.die("broken"))
    }).pipe(Effect.scoped))

  it.live("leaves nothing when it is closed", () =>
    Effect.gen(function* () {
      const session = yield* TerminalSession.open(new ShellExec({ ...bash, commandId: "closing" }))
      yield* session.waitFor("<p> ")
      yield* session.write("sleep 63 & echo job $!.\n")
      const job = Number(/\d+/.exec((yield* session.waitFor(/job \d+\./)).match)?.[0])
      const { pid } = yield* session.info
      expect(isAlive(job)).toBe(true)
      yield* session.close
      expect([isAlive(pid), isAlive(job)]).toEqual([false, false])
      expect(yield* Effect.flip(session.exit)).toMatchObject({ reason: { _tag: "Cancelled" } })
      // The runtime reaps it.
      yield* eventually("no zombie stays", () => !existsSync(`/proc/${pid}`))
    }).pipe(Effect.scoped, Effect.provide(layer)))
})
