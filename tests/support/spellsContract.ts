/** Tests the built-in spells in every composition of branches: one suite, in which only the layer differs. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { isJsonObject } from "../../src/base/jsonSchema.ts"
import { Spellcasting, type SpellFault } from "../../src/spell/mod.ts"
import { builtinSpells } from "../spell/builtinBook.ts"
import { startsEachOnce } from "./startsEachOnce.ts"

type Test = Effect.Effect<unknown, unknown, Spellcasting>

/** Runs one test in a composition of its own, whose files are empty. */
export type RunSpells = (test: Test) => Promise<unknown>

type Reply = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => typeof value === "string" ? value : ""
const numberOf = (value: unknown): number => typeof value === "number" ? value : -1

export interface SpellsContractOptions {
  /** Whether a process can be written to while it runs. A command in a journal cannot: its input is part of the request. */
  readonly hasInput?: boolean | undefined
  /** Whether commands see the files. Default: `false`. */
  readonly sharesFiles?: boolean | undefined
}

export const spellsContract = (
  name: string,
  run: RunSpells,
  { hasInput = true, sharesFiles = false }: SpellsContractOptions = {},
): void => {
  const cast = new Set<string>()

  /** Casts a spell; its result is an object. */
  const reply = (spell: string, input: Schema.Json): Effect.Effect<Reply, SpellFault, Spellcasting> => {
    cast.add(spell)
    return Effect.map(Spellcasting.cast(spell, input), (result) => {
      expect(isJsonObject(result)).toBe(true)
      return isJsonObject(result) ? result : {}
    })
  }
  const fault = (spell: string, input: Schema.Json): Effect.Effect<SpellFault, Schema.Json, Spellcasting> =>
    Effect.flip(Spellcasting.cast(spell, input))

  /** Output of a process from its beginning to its end. */
  const readAll = (
    id: unknown,
  ): Effect.Effect<{ readonly text: string; readonly end: Reply }, SpellFault, Spellcasting> =>
    Effect.gen(function* () {
      let text = ""
      for (let position = 0;;) {
        const page = yield* reply("read_output", { id: textOf(id), position, waitSeconds: 30 })
        text += textOf(page["output"])
        position = numberOf(page["position"])
        if (page["isRunning"] === false && page["hasMore"] !== true) return { text, end: page }
      }
    })

  const test = (title: string, effect: () => Test) => it(title, () => run(Effect.suspend(effect)))

  describe(`${name}: the contract of built-in spells`, () => {
    test("write_file and read_file: whole files, ranges of numbered lines, appending", () =>
      Effect.gen(function* () {
        const written = yield* reply("write_file", { path: "src/a.txt", content: "one\ntwo\nthree\n" })
        expect(written).toEqual({ path: "src/a.txt", bytesWritten: 14 })
        yield* reply("write_file", { path: "src/a.txt", content: "four\n", append: true })
        expect(yield* reply("read_file", { path: "src/a.txt", firstLine: 2, maxLines: 2 })).toEqual({
          text: "     2\ttwo\n     3\tthree",
          totalLines: 4,
          nextLine: 4,
        })
      }))

    test("edit_file: all replacements or none, with a diff", () =>
      Effect.gen(function* () {
        yield* reply("write_file", { path: "a.ts", content: "let a = 1\nlet b = 2\n" })
        const edited = yield* reply("edit_file", { path: "a.ts", edits: [{ oldText: "let a", newText: "const a" }] })
        expect(edited["replacements"]).toBe(1)
        expect(edited["diff"]).toContain("-let a = 1\n+const a = 1")
        const both = [{ oldText: "let b", newText: "const b" }, { oldText: "nowhere", newText: "x" }]
        const refused = yield* fault("edit_file", { path: "a.ts", edits: both })
        expect(refused).toMatchObject({
          faultKind: "Failed",
          failure: { _tag: "FileEditError", reason: { _tag: "NotFound" }, index: 1 },
        })
        const { text } = yield* reply("read_file", { path: "a.ts" })
        expect(text).toBe("     1\tconst a = 1\n     2\tlet b = 2")
      }))

    test("search_files: lines by content, files by name", () =>
      Effect.gen(function* () {
        yield* reply("write_file", { path: "found/a.ts", content: "one\nneedle 1\n" })
        yield* reply("write_file", { path: "found/b.md", content: "needle x\n" })
        expect(yield* reply("search_files", { path: "found", pattern: "needle \\d" })).toEqual({
          text: "found/a.ts\n2:needle 1",
          matches: 1,
          files: 1,
        })
        expect(yield* reply("search_files", { path: "found", globs: ["*.md"] })).toMatchObject({ text: "found/b.md" })
        const refused = yield* fault("search_files", { pattern: "(" })
        expect(refused).toMatchObject({ faultKind: "Failed", failure: { reason: { _tag: "InvalidPattern" } } })
      }))

    test("apply_patch: all files or none", () =>
      Effect.gen(function* () {
        yield* reply("write_file", { path: "patched/a", content: "one\ntwo\n" })
        const patch = (line: string) =>
          `*** Begin Patch\n*** Add File: patched/b\n+new\n*** Update File: patched/a\n@@ one\n-${line}\n+2\n*** End Patch`
        const refused = yield* fault("apply_patch", { patch: patch("three") })
        expect(refused).toMatchObject({
          faultKind: "Failed",
          failure: { _tag: "FilePatchError", reason: { _tag: "Conflict" } },
        })
        expect(yield* reply("list_directory", { path: "patched" })).toEqual({ entries: ["a"] })
        const { files } = yield* reply("apply_patch", { patch: patch("two") })
        expect(files).toHaveLength(2)
        expect(yield* reply("read_file", { path: "patched/a" })).toMatchObject({ text: "     1\tone\n     2\t2" })
      }))

    test("list_directory and delete_file", () =>
      Effect.gen(function* () {
        yield* reply("write_file", { path: "src/a.ts", content: "" })
        yield* reply("write_file", { path: "src/lib/b.ts", content: "" })
        yield* reply("write_file", { path: "src/lib/c.md", content: "" })
        expect(yield* reply("list_directory", { path: "src" })).toEqual({ entries: ["a.ts", "lib/"] })
        expect(yield* reply("list_directory", { path: "src", recursive: true, pattern: "**/*.ts" })).toEqual({
          entries: ["a.ts", "lib/b.ts"],
        })
        expect(yield* fault("delete_file", { path: "src/lib" })).toMatchObject({
          failure: { _tag: "FileFault", faultKind: "DirectoryNotEmpty" },
        })
        expect(yield* reply("delete_file", { path: "src/lib", recursive: true })).toEqual({ deletedCount: 3 })
        expect(yield* reply("list_directory", { path: "src" })).toEqual({ entries: ["a.ts"] })
      }))

    test("failures have a kind and a message, without details of the machine", () =>
      Effect.gen(function* () {
        const missing = yield* fault("read_file", { path: "none.txt" })
        expect(missing).toMatchObject({
          _tag: "SpellFault",
          spell: "read_file",
          faultKind: "Failed",
          failure: { _tag: "FileFault", faultKind: "NotFound", path: "none.txt" },
        })
        expect(missing.message).toMatch(/^read_file: read none\.txt: /)
        const outside = yield* fault("read_file", { path: "../../etc/passwd" })
        expect(outside).toMatchObject({ failure: { faultKind: "InvalidPath" } })
        for (const { failure, message } of [missing, outside]) {
          expect(`${message} ${JSON.stringify(failure)}`).not.toMatch(
            /\/tmp|\/work|\/proc|node_modules|\.ts:\d|\n\s+at /,
          )
        }
      }))

    test("run_command: exit code and output, and why it could not start", () =>
      Effect.gen(function* () {
        expect(yield* reply("run_command", { command: "echo", arguments: ["hello world", "$HOME"] })).toEqual({
          exitCode: 0,
          stdout: "hello world $HOME\n",
          stderr: "",
        })
        expect(yield* reply("run_command", { command: "false" })).toMatchObject({ exitCode: 1 })
        const none = yield* fault("run_command", { command: "no-such-program-x" })
        expect(none).toMatchObject({
          faultKind: "Failed",
          failure: { _tag: "CommandFailure", reason: { _tag: "NotFound" }, stdout: "", stderr: "" },
        })
        expect(none.message).toContain("no-such-program-x")
      }))

    if (sharesFiles) {
      test("files and commands meet in one folder", () =>
        Effect.gen(function* () {
          yield* reply("write_file", { path: "src/a.txt", content: "from a spell\n" })
          expect(yield* reply("run_command", { command: "cat", arguments: ["src/a.txt"] })).toMatchObject({
            stdout: "from a spell\n",
          })
          expect(yield* reply("run_command", { command: "cat", arguments: ["a.txt"], cwd: "src" })).toMatchObject({
            stdout: "from a spell\n",
          })
          yield* reply("run_script", { script: "echo from a command > b.txt", cwd: "src" })
          const { text } = yield* reply("read_file", { path: "src/b.txt" })
          expect(text).toBe("     1\tfrom a command")
          const missing = yield* fault("run_command", { command: "true", cwd: "none" })
          expect(missing).toMatchObject({ failure: { _tag: "CommandFailure", reason: { _tag: "NotFound" } } })
          expect(missing.message).toContain("none")
        }))
    }

    test("run_command: the output before a timeout", () =>
      Effect.gen(function* () {
        const late = yield* fault("run_script", { script: "echo early; sleep 60", timeoutSeconds: 1 })
        expect(late).toMatchObject({
          failure: { _tag: "CommandFailure", reason: { _tag: "Timeout" }, stdout: "early\n" },
        })
      }))

    test("run_script: pipes and exit codes", () =>
      Effect.gen(function* () {
        expect(yield* reply("run_script", { script: "printf 'b\\na\\n' | sort; exit 3" })).toEqual({
          exitCode: 3,
          stdout: "a\nb\n",
          stderr: "",
        })
      }))

    test("execute_code: output, exit codes, unknown languages", () =>
      Effect.gen(function* () {
        expect(yield* reply("execute_code", { language: "bash", code: "echo $((6 * 7)); cat", input: "in" })).toEqual({
          exitCode: 0,
          stdout: "42\nin",
          stderr: "",
        })
        expect(yield* reply("execute_code", { language: "bash", code: "exit 5" })).toMatchObject({ exitCode: 5 })
        expect(yield* fault("execute_code", { language: "klingon", code: "" })).toMatchObject({
          failure: { _tag: "CommandFailure", reason: { _tag: "UnknownLanguage" } },
        })
      }))

    test("a long output: head, tail, and the whole by read_output", () =>
      Effect.gen(function* () {
        const result = yield* reply("run_command", { command: "seq", arguments: ["1", "20000"] })
        const stdout = textOf(result["stdout"])
        const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("")
        expect(stdout.length).toBeLessThan(17_000)
        expect(stdout.startsWith("1\n2\n3\n")).toBe(true)
        expect(stdout.endsWith("\n19999\n20000\n")).toBe(true)
        const gap = /\n… (\d+) characters left out: read_output (\{.*\}) …\n/.exec(stdout)
        const { id, position } = JSON.parse(gap?.[2] ?? "{}")
        expect(id).toBe(result["outputId"])
        // What is before the gap, what the gap says to read, and what is after it are the whole.
        const before = stdout.slice(0, (gap?.index ?? 0) + 1)
        expect(position).toBe(before.length)
        let middle = ""
        for (let at = numberOf(position); middle.length < Number(gap?.[1]);) {
          const page = yield* reply("read_output", { id, position: at })
          expect(textOf(page["output"]).length).toBeGreaterThan(0)
          middle += textOf(page["output"])
          at = numberOf(page["position"])
        }
        const after = stdout.slice((gap?.index ?? 0) + (gap?.[0].length ?? 0))
        expect(`${before}${middle.slice(0, Number(gap?.[1]))}${after}`).toBe(whole)
      }))

    test("start_process, send_input, read_output: a process that answers and ends", () =>
      Effect.gen(function* () {
        if (!hasInput) {
          const refused = yield* fault("start_process", { command: "cat", input: true })
          expect(refused).toMatchObject({ failure: { _tag: "CommandFailure", reason: { _tag: "InvalidRequest" } } })
          return
        }
        const started = yield* reply("start_process", { command: "cat", input: true, waitSeconds: 0 })
        expect(started["isRunning"]).toBe(true)
        const id = textOf(started["id"])
        yield* reply("send_input", { id, text: "hello\n" })
        const page = yield* reply("read_output", { id, waitSeconds: 30 })
        expect(page).toMatchObject({ id, output: "hello\n", position: 6, isRunning: true })
        yield* reply("send_input", { id, text: "bye\n", end: true })
        const { end, text } = yield* readAll(id)
        expect(text).toBe("hello\nbye\n")
        expect(end).toMatchObject({ exitCode: 0, isRunning: false })
        expect(yield* fault("send_input", { id, text: "late" })).toMatchObject({
          failure: { reason: { _tag: "NoInput" } },
        })
      }))

    test("stop_process: ends a process; its output stays", () =>
      Effect.gen(function* () {
        const { id } = yield* reply("start_process", { command: "sleep", arguments: ["600"], waitSeconds: 0 })
        expect(yield* reply("stop_process", { id: textOf(id) })).toEqual({ id })
        const { end } = yield* readAll(id)
        expect(end).toMatchObject({ isRunning: false, ended: "stopped" })
        const none = yield* fault("start_process", { command: "no-such-program-x" })
        expect(none).toMatchObject({ failure: { _tag: "CommandFailure", reason: { _tag: "NotFound" } } })
        const unknown = yield* fault("read_output", { id: "process-none" })
        expect(unknown).toMatchObject({ failure: { _tag: "ProcessTableError", reason: { _tag: "UnknownId" } } })
        expect(unknown.message).toContain(textOf(id))
      }))

    test("casts once for each of many callers, started by Effect.forEach a few at a time", () =>
      Effect.gen(function* () {
        const all = yield* startsEachOnce(60, (n): Effect.Effect<unknown, unknown, Spellcasting> => {
          // Some fail at once, so that others that wait are resumed in their start.
          if (n % 5 === 4) return fault("read_file", { path: "none" })
          return n % 5 === 3
            ? reply("run_command", { command: "echo", arguments: [String(n)] })
            : reply("write_file", { path: `ran/${n}`, content: `${n}\n`, append: true })
        })
        for (const n of all.filter((n) => n % 5 < 3)) {
          expect(yield* reply("read_file", { path: `ran/${n}` })).toMatchObject({ text: `     1\t${n}`, totalLines: 1 })
        }
      }))

    test("queries a database: lines of JSON, that fit", () =>
      Effect.gen(function* () {
        const long = JSON.stringify([String(2n ** 60n), `${"x".repeat(4_096)}… (904 characters left out)`])
        expect(yield* reply("query_database", { sql: "SELECT n, s FROM t" })).toEqual({
          rows: `["n","s"]\n[1,"one"]\n${long}\n[3,null]\n`,
          rowCount: 3,
        })
        expect(yield* reply("query_database", { sql: "SELECT n, s FROM t", maxRows: 1 })).toEqual({
          rows: '["n","s"]\n[1,"one"]\n',
          rowCount: 1,
          hasMore: true,
        })
        expect(yield* fault("query_database", { sql: "SELEKT" })).toMatchObject({ failure: { faultKind: "Syntax" } })
      }))

    test("faults that a model can fix: an unknown spell, wrong arguments", () =>
      Effect.gen(function* () {
        expect(yield* fault("read_fil", { path: "a" })).toMatchObject({ faultKind: "UnknownSpell" })
        expect(yield* fault("read_file", { file: "a" })).toMatchObject({ faultKind: "InvalidArguments" })
      }))

    it("casts every built-in spell", () => {
      const possible = builtinSpells.map((spell) => spell.name).filter((spell) => hasInput || spell !== "send_input")
      expect([...cast].toSorted()).toEqual(possible.toSorted())
    })
  })
}
