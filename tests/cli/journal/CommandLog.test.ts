import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { piecesOf } from "../../../src/history/commandOutput.ts"
import { CommandLog } from "../../../src/cli/journal/CommandLog.ts"
import { makeTextStyles } from "../../../src/cli/journal/TextStyle.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { ask, exit, fault, onJournal, take, write } from "../../history/support.ts"
import { fakeProcess } from "../support.ts"

/** What a follower writes of a whole journal, stderr after `2>`. */
const followed = (follow = new CommandLog(makeTextStyles(fakeProcess([]), 1))) =>
  Effect.gen(function* () {
    let text = ""
    const put = (what: { readonly stream: string; readonly text: string }): void => {
      if (what.text !== "") text += (what.stream === "stderr" ? "2> " : "") + what.text
    }
    for (const entry of yield* (yield* Journal).read()) {
      follow.mark(entry).forEach(put)
      for (const piece of yield* Effect.fromResult(piecesOf(entry))) put(follow.output(entry.correlationId, piece))
    }
    return text.split("\n").slice(0, -1)
  })

it.effect("puts each line behind the command that wrote it, from its request to its end", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["/usr/bin/npm", "test"])
    yield* take("c1")
    yield* ask("c2", ["git", "log"])
    yield* write("c1", { text: "one\ntwo\n" })
    yield* write("c2", { text: "oops\n", stream: "stderr" })
    yield* exit("c1", 3)
    yield* fault("c2", { _tag: "Timeout", kind: "total", afterMillis: 1 }, "exec: git did not end (TIMEOUT)")
    expect(yield* followed()).toEqual([
      "c1 npm $ /usr/bin/npm test",
      "c2 git $ git log",
      "c1 npm | one",
      "c1 npm | two",
      "2> c2 git | oops",
      "c1 npm = exit 3 after 12ms",
      "c2 git = git did not end (TIMEOUT)",
    ])
  }).pipe(onJournal))

it.effect("waits for the end of a line, and writes the rest when the command ends", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["a"])
    yield* write("c1", { text: "ha" }, { text: "err", stream: "stderr" }, { text: "lf\nre" })
    yield* write("c1", { text: "st" })
    yield* exit("c1")
    expect(yield* followed()).toEqual([
      "c1 a $ a",
      "c1 a | half",
      "c1 a | rest",
      "2> c1 a | err",
      "c1 a = exit 0 after 12ms",
    ])
  }).pipe(onJournal))

it.effect("puts characters together that were cut between two entries", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["a"])
    yield* write("c1", { bytes: [0xe2, 0x82] })
    yield* write("c1", { bytes: [0xac, 0x0a] })
    expect(yield* followed()).toEqual(["c1 a $ a", "c1 a | €"])
  }).pipe(onJournal))

it.effect("does not wait forever for the end of a line", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["a"])
    yield* write("c1", { text: "x".repeat(100_000) })
    const [, line = ""] = yield* followed()
    expect(line).toBe(`c1 a | ${"x".repeat(65_536)}`)
  }).pipe(onJournal))

it.effect("shows a command whose request it has not seen", () =>
  Effect.gen(function* () {
    yield* write("c1", { text: "late\n" })
    yield* exit("c1")
    expect(yield* followed()).toEqual(["c1 ? | late", "c1 ? = exit 0 after 12ms"])
  }).pipe(onJournal))

it.effect("lines labels up, and remembers no more commands than it should", () =>
  Effect.gen(function* () {
    const follow = new CommandLog(makeTextStyles(fakeProcess([]), 1))
    for (let n = 0; n < 1_500; n++) follow.introduce(`c${n}`, undefined)
    expect(follow.knows("c0")).toBe(false)
    expect(follow.knows("c1499")).toBe(true)
    yield* ask("a", ["b"])
    expect(yield* followed(follow)).toEqual(["a b     $ b"])
  }).pipe(onJournal))

it.effect("escapes characters in programs and lines that would move other text", () =>
  Effect.gen(function* () {
    yield* ask("c1", ["a\x1b[2Jb", "c\nd"])
    const [line = ""] = yield* followed()
    expect(line).not.toMatch(/\p{Cc}/u)
    expect(line).toContain("a\\u001b[2Jb")
  }).pipe(onJournal))
