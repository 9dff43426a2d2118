import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { ask, deadHost, exit, take, write } from "../../history/support.ts"
import { eventually } from "../../support/eventually.ts"
import { runInProcess, startSluice } from "../support.ts"
import { journalWith } from "./support.ts"

const noon = Date.UTC(2025, 10, 22, 12)
const at = (seconds: number) => noon + seconds * 1_000

/** Two commands whose entries alternate; lines go across entries, bytes across characters. */
const two = Effect.gen(function* () {
  yield* ask("c1", ["make"])
  yield* take("c1")
  yield* write("c1", { text: "ok\npa", at: at(1) }, { text: "no\npa", stream: "stderr", at: at(1) })
  yield* ask("c2", ["test"])
  yield* take("c2")
  const word = [...encodeUtf8("pänic\r\n")]
  yield* write("c2", { bytes: word.slice(0, 2), at: at(2) })
  yield* write("c1", { text: "nic in the bone", stream: "stderr", at: at(3) })
  yield* write("c2", { bytes: word.slice(2), at: at(3) })
  yield* write("c1", { text: "nic: a.b\nPANIC\n", at: at(4) })
  yield* exit("c1", 2)
  yield* exit("c2")
})

for (const name of ["j.db", "j.ndjson"]) {
  it.effect(`finds lines across entries and in both streams, command by command, in ${name}`, () =>
    Effect.gen(function* () {
      const { file, said, saidIn } = yield* journalWith(two, name)
      const first = [
        "2025-11-22T12:00:01.000Z c1 stdout:2: panic: a.b",
        "2025-11-22T12:00:01.000Z c1 stderr:2: panic in the bone",
      ]
      const second = "2025-11-22T12:00:02.000Z c2 stdout:1: pänic"
      const found = (...lines: ReadonlyArray<string>) => ({
        status: lines.length === 0 ? 1 : 0,
        stdout: lines.map((line) => `${line}\n`).join(""),
        stderr: "",
      })
      expect(yield* said("grep", "^p.nic")).toEqual(found(...first, second))
      // The end of a line is before the return that terminals write.
      expect(yield* said("grep", "nic$")).toEqual(found(second))
      expect((yield* said("grep", "-i", "^panic$")).stdout).toContain("c1 stdout:3: PANIC\n")
      expect(yield* said("grep", "a.b|nothing", "--command", "c1")).toEqual(found(...first.slice(0, 1)))
      expect(yield* said("grep", "-F", "a.b|nothing")).toEqual(found())
      expect(yield* said("grep", "-F", "a.b")).toEqual(found(...first.slice(0, 1)))
      expect(yield* said("grep", "nic", "--command", "c2")).toEqual(found(second))
      expect((yield* saidIn({}, "grep", "nic", file)).stderr).toContain("JOURNAL and --journal are mutually exclusive")
      expect(yield* said("grep", "bone", "--json")).toMatchObject({
        status: 0,
        stdout: `{"commandId":"c1","attempt":1,"stream":"stderr","line":2,"time":${
          at(1)
        },"text":"panic in the bone"}\n`,
      })
    }))
}

it.effect("takes the journal as its operand, too", () =>
  Effect.gen(function* () {
    const { file } = yield* journalWith(two)
    const { status, stdout } = yield* runInProcess("journal", "grep", "ok", file)
    expect({ status, stdout }).toEqual({ status: 0, stdout: "2025-11-22T12:00:01.000Z c1 stdout:1: ok\n" })
  }))

it.effect("refuses an invalid regular expression with status 2, and names the flag for plain text", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(two)
    const { status, stderr, stdout } = yield* said("grep", "a(b")
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(/^sluice: .*missing closing \).*or add --literal\n$/)
    expect(yield* said("grep", "-F", "a(b")).toEqual({ status: 1, stdout: "", stderr: "" })
    expect((yield* said("grep", "(?=look)")).status).toBe(2)
    expect((yield* said("grep", "")).stderr).toBe("sluice: the pattern is empty\n")
    expect((yield* said("grep", "a", "--command", "c9")).status).toBe(125)
  }))

it.effect("searches each attempt of a command, with line numbers of its own", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* ask("c1", ["make"], { onHostLoss: "rerun" })
      yield* take("c1", { daemon: "first", host: yield* deadHost })
      yield* write("c1", { text: "one\nhit" })
      yield* take("c1", { daemon: "second", attempt: 2 })
      yield* write("c1", { text: "hit\n" })
      yield* exit("c1")
    }))
    const { stdout } = yield* said("grep", "hit", "--json")
    expect(stdout.trimEnd().split("\n").map((line) => JSON.parse(line))).toMatchObject([
      { attempt: 1, line: 2, text: "hit" },
      { attempt: 2, line: 1, text: "hit" },
    ])
  }))

it.effect("searches a line longer than 1 MiB in parts, all with its number, in time linear to it", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(
      Effect.gen(function* () {
        yield* ask("c1", ["yes"])
        yield* take("c1")
        // A backtracking engine would not end before the sun does.
        for (let at = 0; at < 40; at++) yield* write("c1", { text: "x".repeat(65_536) })
        yield* write("c1", { text: "end\nnext\n" })
        yield* exit("c1")
      }),
      "j.ndjson",
    )
    expect(yield* said("grep", "(x+x+)+y")).toEqual({ status: 1, stdout: "", stderr: "" })
    const { stdout } = yield* said("grep", "end|next", "--json")
    const hits = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(hits.map(({ line, text }) => [line, text.length])).toEqual([[1, 40 * 65_536 - 2 * 1_048_576 + 3], [2, 4]])
  }))

it.effect("prints no control characters of the output on a terminal", () =>
  Effect.gen(function* () {
    const { said, saidIn } = yield* journalWith(Effect.gen(function* () {
      yield* ask("c1", ["cat"])
      yield* take("c1")
      yield* write("c1", { text: "hit \x1b]52;c;aGFjaw==\x07\x1b[2J\rover\n" })
      yield* exit("c1")
    }))
    expect((yield* said("grep", "hit")).stdout).toContain("\x1b]52")
    const { stdout } = yield* saidIn({ terminal: true }, "grep", "hit")
    expect(stdout).toMatch(/^\S+ c1 stdout:1: hit .*\\rover\n$/)
    expect(stdout).not.toContain("\x1b")
  }))

it.live("ends by Ctrl-C between two entries, also with a pattern of very many states", () =>
  Effect.gen(function* () {
    let seed = 7
    const letter = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) > 2 ** 30 ? "x" : "y"
    const line = `z ${Array.from({ length: 16_384 }, letter).join("")}\n`
    const { file } = yield* journalWith(Effect.gen(function* () {
      yield* ask("c1", ["make"])
      yield* take("c1")
      yield* write("c1", { text: "begin\n" })
      for (let at = 0; at < 60; at++) yield* write("c1", { text: line })
      yield* exit("c1")
    }))
    const searching = yield* startSluice(["journal", "grep", "^begin|[xy]*x[xy]{500}z", file])
    yield* eventually("the first line is found", () => searching.stdout() !== "")
    searching.signal("SIGINT")
    expect(yield* searching.status).toBe(130)
  }))
