import { expect, it } from "@effect/vitest"
import { ShellExec } from "@sluice/shell"
import { Audit } from "@sluice/shell/audit"
import { Journal, JournaledShell, MemoryJournal, Redactor } from "@sluice/shell/journal"
import { LocalShell } from "@sluice/shell"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { TerminalSession } from "@sluice/shell/terminal"
import { makeEmulator } from "../../src/terminal/Emulator.ts"
import { AsciicastWriter } from "../../src/history/AsciicastWriter.ts"
import { commandRecording } from "../../src/history/commandOutput.ts"

const session = Effect.gen(function* () {
  const exec = ShellExec.make("bash", [
    "-c",
    "read -s -p 'Password: ' word; echo; read again; stty size; echo ${#word}",
  ], {
    commandId: "typed",
  })
  const opened = yield* TerminalSession.open(exec, { cols: 70, rows: 20, term: "xterm" })
  yield* opened.waitFor("Password:")
  yield* Effect.sleep(50)
  yield* opened.write("hunter2\n")
  yield* opened.resize({ cols: 90, rows: 30 })
  // The same size is no entry.
  yield* opened.resize({ cols: 90, rows: 30 })
  yield* Effect.sleep(100)
  yield* opened.write("go\n")
  yield* opened.exit
  const journal = yield* Journal
  return yield* journal.read({ filter: { correlationId: "typed" } })
}).pipe(Effect.scoped)

const bodies = (entries: ReadonlyArray<{ readonly tag: string; readonly body?: unknown }>, tag: string) =>
  entries.filter((entry) => entry.tag === tag).map(({ body }) => body)

it.live("the journal has the terminal, its sizes, and how much was typed, but no password", () =>
  Effect.gen(function* () {
    const entries = yield* session
    expect(bodies(entries, "ShellExec")).toMatchObject([{
      delivery: { terminal: { cols: 70, rows: 20, term: "xterm" } },
    }])
    expect(bodies(entries, "TerminalInput")).toMatchObject([{ bytes: 8 }, { bytes: 3 }])
    expect(bodies(entries, "TerminalResized")).toMatchObject([{ cols: 90, rows: 30 }])
    expect(JSON.stringify(entries)).not.toContain("hunter2")
    expect(entries.at(-1)?.tag).toBe("ShellOutput")

    const record = yield* Audit.find("typed")
    expect(record.terminal).toEqual({ cols: 70, rows: 20, term: "xterm" })
    for (const version of [2, 3] as const) {
      const writer = new AsciicastWriter({
        version,
        start: record.requested,
        line: record.line,
        terminal: record.terminal,
      })
      expect(writer.header()).toMatch(
        version === 2 ? '"width":70,"height":20' : '"term":{"cols":70,"rows":20,"type":"xterm"}',
      )
      const lines = yield* commandRecording(record).pipe(
        Stream.map((event) =>
          !("_tag" in event)
            ? writer.output(event)
            : event._tag === "TerminalInput"
            ? writer.input(event)
            : writer.resized(event)
        ),
        Stream.runCollect,
      )
      const events = lines.join("").trim().split("\n").map((line): unknown => JSON.parse(line))
      expect(events).toContainEqual([expect.any(Number), "r", "90x30"])
      // Exactly as it was written: no carriage return is doubled.
      expect(JSON.stringify(events)).not.toContain("\\r\\r")
    }
  }).pipe(Effect.provide(LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer)))))

it.live("records input on request, redacted", () =>
  Effect.gen(function* () {
    const entries = yield* session
    const typed = bodies(entries, "TerminalInput")
    expect(JSON.stringify(typed)).not.toContain("hunter2")
    expect(JSON.stringify(typed)).toContain("go")
    expect(JSON.stringify(typed)).toContain("redacted")
  }).pipe(Effect.provide(LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, {
    recordInput: true,
    redactor: Redactor.secrets([{ value: "hunter2" }]),
  })))))

const token = `ghp_${"a1B2".repeat(9)}`

it.live("a secret that is typed and echoed character by character reaches no entry", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("bash", ["--norc", "--noprofile"], { env: { PS1: "<p> " }, commandId: "slow" })
    const opened = yield* TerminalSession.open(exec)
    yield* opened.waitFor("<p> ")
    // Slower than the silence after which an unfinished line is stored.
    for (const key of `: hunter2 ${token}`) {
      yield* opened.write(key)
      yield* opened.waitFor({ silence: "35 millis" })
    }
    yield* opened.write("\n: over hun")
    yield* opened.waitFor("over hun")
    const journal = yield* Journal
    const shown = bodies(yield* journal.read({ filter: { correlationId: "slow" } }), "ShellOutputChunks")
    // The prompt is there before its line ends.
    expect(JSON.stringify(shown)).toContain("<p> ")
    yield* opened.close
    const entries = yield* journal.read({ filter: { correlationId: "slow" } })
    const texts = (tag: string): string =>
      bodies(entries, tag).flatMap((body) => JSON.stringify(body).match(/"content":"(?:[^"\\]|\\.)*"/g) ?? [])
        .map((text): unknown => JSON.parse(text.slice(10))).join("")
    for (const text of [texts("TerminalInput"), texts("ShellOutputChunks")]) {
      expect(text).toContain(": <redacted> ")
      expect(text).toContain("<redacted:GitHub token>")
      for (const part of ["hunt", "unter2", token.slice(4), token.slice(20)]) expect(text).not.toContain(part)
    }
    // What the redactor held back until the end.
    expect(texts("TerminalInput")).toMatch(/: over hun$/)
  }).pipe(
    Effect.scoped,
    Effect.provide(LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, {
      recordInput: true,
      redactor: Redactor.combine(
        Redactor.secrets([{ value: "hunter2" }], { encoded: false }),
        Redactor.patterns(Redactor.commonPatterns),
      ),
    }))),
  ))

it.live("a recording plays back to the same screen, including the input", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("vim", ["-u", "NONE", "-N", "-n"], { commandId: "vim" })
    const opened = yield* TerminalSession.open(exec, { cols: 60, rows: 12 })
    yield* opened.waitFor({ screen: "~" })
    yield* opened.sendKeys({ text: "ione 中 two" }, "Enter", { text: "last" }, "Escape")
    yield* opened.waitFor({ screen: /last/ })
    yield* opened.resize({ cols: 72, rows: 16 })
    yield* opened.waitFor({ silence: "200 millis" })
    const { lines } = yield* opened.screen
    const record = yield* Audit.find("vim")
    for (const version of [2, 3] as const) {
      const { line, requested, terminal } = record
      const writer = new AsciicastWriter({ version, start: requested, line, terminal })
      const events = yield* commandRecording(record).pipe(
        Stream.map((event) =>
          "_tag" in event
            ? event._tag === "TerminalInput" ? writer.input(event) : writer.resized(event)
            : writer.output(event)
        ),
        Stream.mkString,
        Effect.map((text) =>
          text.trim().split("\n").map((each): readonly [number, string, string] => JSON.parse(each))
        ),
      )
      const player = yield* makeEmulator({ cols: 60, rows: 12 }, 0, () => {})
      for (const [, code, data] of events) {
        const [cols = 0, rows = 0] = data.split("x").map(Number)
        if (code === "o") yield* player.write(data)
        else if (code === "r") player.resize({ cols, rows })
      }
      expect(player.screen(0)).toMatchObject({ lines, cols: 72, rows: 16 })
      player.dispose()
      const typed = events.filter(([, code]) => code === "i").map(([, , data]) => data).join("")
      expect(typed).toContain("ione 中 two\rlast\x1b")
      const times = events.map(([time]) => time)
      expect(times.every((time, index) => time >= (version === 2 ? times[index - 1] ?? 0 : 0))).toBe(true)
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, { recordInput: true }))),
  ))
