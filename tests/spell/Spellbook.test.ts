import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { serveRequests } from "../../src/branch/serveRequests.ts"
import { requestDaemon } from "../../src/branch/requestDaemon.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { Files, JournaledFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import {
  deleteFile,
  editFile,
  listDirectory,
  readFile,
  runCommand,
  Spell,
  Spellbook,
  SpellcastingBranch,
  SpellInvocation,
  SpellResult,
  SpellRoute,
  writeFile,
} from "../../src/spell/mod.ts"

const book = Spellbook.make(readFile, writeFile, editFile, listDirectory, deleteFile, runCommand)
const world = Layer.merge(MemoryFileSystem.layer, KernelShell.layer)

const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof world>>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, world))

describe("a spellbook", () => {
  it("casts spells by name, on the services of the context", () =>
    run(Effect.gen(function* () {
      yield* Spellbook.cast(book, "write_file", { path: "src/a.ts", content: "let a = 1\nlet b = 2\n" })
      expect(yield* Spellbook.cast(book, "read_file", { path: "src/a.ts", firstLine: 2 })).toEqual({
        text: "     2\tlet b = 2",
        totalLines: 2,
      })
      const edits = [{ oldText: "let a", newText: "const a" }]
      const edited = yield* Spellbook.cast(book, "edit_file", { path: "src/a.ts", edits })
      expect(edited).toMatchObject({ replacements: 1 })
      expect(yield* Files.readText("src/a.ts")).toBe("const a = 1\nlet b = 2\n")
      expect(yield* Spellbook.cast(book, "list_directory", { path: "", recursive: true })).toEqual({
        entries: ["src/", "src/a.ts"],
      })
      expect(yield* Spellbook.cast(book, "delete_file", { path: "src", recursive: true })).toEqual({ deletedCount: 2 })
      expect(yield* Spellbook.cast(book, "run_command", { command: "echo", arguments: ["$HOME"] })).toEqual({
        exitCode: 0,
        stdout: "$HOME\n",
        stderr: "",
      })
    })))

  it("suggests the spell that the model may have meant", () =>
    run(Effect.gen(function* () {
      const fault = yield* Effect.flip(Spellbook.cast(book, "read_fil", {}))
      expect(fault).toMatchObject({ faultKind: "UnknownSpell", spell: "read_fil" })
      expect(fault.message).toBe(
        'there is no spell "read_fil"; did you mean "read_file"? There are: read_file, write_file, edit_file, ' +
          "list_directory, delete_file, run_command",
      )
    })))

  it("names the wrong argument to the model, and the expected type", () =>
    run(Effect.gen(function* () {
      const missing = yield* Effect.flip(Spellbook.cast(book, "read_file", { paht: "a" }))
      expect(missing.faultKind).toBe("InvalidArguments")
      expect(missing.message).toContain('perhaps meant by "paht"')
      expect(missing.message).toContain("Expected { path: string, firstLine?: integer, maxLines?: integer }")
      const wrong = yield* Effect.flip(Spellbook.cast(book, "edit_file", { path: "a", edits: [{ oldText: 1 }] }))
      expect(wrong.message).toContain('"edits.0.oldText"')
      const none = yield* Effect.flip(Spellbook.cast(book, "read_file", "a"))
      expect(none.message).toContain("the arguments:")
    })))

  it("gives a model the failure that a spell declares", () =>
    run(Effect.gen(function* () {
      const fault = yield* Effect.flip(Spellbook.cast(book, "read_file", { path: "none" }))
      expect(fault).toMatchObject({ faultKind: "Failed", failure: { _tag: "FileFault", faultKind: "NotFound" } })
      expect(fault.message).toBe(
        "read_file: read none: there is nothing at this path; list its folder to see what it contains (ENOENT)",
      )
    })))

  it("selects spells by the names that it has: other names are refused by the types, and texts when they are known", () => {
    const some = Spellbook.select(book, ["write_file", "read_file"])
    expect([...some.spells.keys()]).toEqual(["read_file", "write_file"])
    // @ts-expect-error -- a name that the book does not have
    expect(() => Spellbook.select(book, ["read_fil"])).toThrow('no spell "read_fil"; did you mean "read_file"?')
    // @ts-expect-error -- a name that was not selected
    expect(() => Spellbook.select(some, ["zzz"])).toThrow(
      'no spell "zzz"; did you mean "read_file"? There are: read_file, write_file',
    )
    const texts: ReadonlyArray<string> = JSON.parse(`["read_file"]`)
    // @ts-expect-error -- texts may be anything
    expect(Spellbook.select(book, texts).spells.size).toBe(1)
    expect([...Spellbook.select(["read_file"])(book).spells.keys()]).toEqual(["read_file"])
    const widened: Spellbook.Spellbook<Layer.Success<typeof world>> = book
    expect(Spellbook.select(widened, texts).spells.size).toBe(1)
  })

  it("keeps a defect from the model, and ends the call with a typed fault", () =>
    run(Effect.gen(function* () {
      const broken = Spell.make({
        name: "broken",
        description: "Breaks.",
        parameters: Schema.Struct({}),
        success: Schema.Null,
        cast: () => Effect.die(new Error("secret path /home/me/key")),
      })
      const wrong = Spell.make({
        name: "wrong",
        description: "Has a result that it does not declare.",
        parameters: Schema.Struct({}),
        success: Schema.String.check(Schema.isMinLength(3)),
        cast: () => Effect.succeed("ab"),
      })
      const messages: Array<unknown> = []
      const logger = Logger.make(({ message }) => void messages.push(message))
      for (const spell of [broken, wrong]) {
        const fault = yield* Effect.flip(Spellbook.cast(Spellbook.make(spell), spell.name, {})).pipe(
          Effect.provide(Logger.layer([logger])),
        )
        expect(fault).toMatchObject({ _tag: "SpellFault", spell: spell.name, faultKind: "Broken" })
        expect(fault.message).toBe(`${spell.name}: internal error; the arguments are not the cause; try another way`)
        expect(JSON.stringify(fault)).not.toContain("secret")
      }
      // People find the reason in the log.
      expect(messages.length).toBe(2)
    })))

  it("refuses two spells of one name, and names that providers do not take", () => {
    expect(() => Spellbook.make(readFile, readFile)).toThrow('two spells are called "read_file"')
    const options = {
      description: "",
      parameters: Schema.Struct({}),
      success: Schema.Null,
      cast: () => Effect.succeed(null),
    }
    expect(() => Spell.make({ ...options, name: "read file" })).toThrow("1 to 64 letters")
  })
})

describe("a spell in a journal", () => {
  const journaled = Layer.merge(
    JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer)),
    journaledShell.pipe(Layer.provide(KernelShell.layer)),
  ).pipe(Layer.provideMerge(MemoryJournal.layer))

  it("has its invocation, its effects and its result, under ids that begin with its own", async () => {
    const both = Spell.make({
      name: "both",
      description: "Writes a file and runs a command.",
      parameters: Schema.Struct({}),
      success: Schema.Null,
      routes: [SpellRoute.files("FileWrite"), SpellRoute.commands],
      cast: () =>
        Effect.gen(function* () {
          yield* Files.write("a", "x")
          yield* Spellbook.cast(Spellbook.make(runCommand), "run_command", { command: "true" })
          return null
        }).pipe(Effect.orDie),
    })
    const program = Effect.gen(function* () {
      const daemon = yield* serveRequests(SpellcastingBranch, yield* Spellbook.service(Spellbook.make(both)))
      yield* daemon.start
      const client = yield* requestDaemon(SpellcastingBranch)
      const call = SpellInvocation.make({ correlationId: "call-1", name: "both", arguments: {} })
      const [result] = yield* Stream.runCollect(client.request(call))
      expect(result).toEqual({ _tag: "SpellResult", correlationId: "call-1", result: null })
      const entries = yield* Journal.read()
      return entries
        .filter(({ tag }) => /^(Spell|File|Shell)/.test(tag))
        .map(({ correlationId, tag }) => `${correlationId} ${tag}`)
    })
    expect(await Effect.runPromise(Effect.scoped(Effect.provide(program, journaled)))).toEqual([
      "call-1 SpellInvocation",
      "call-1/1 FileWrite",
      "call-1/1 FileWritten",
      expect.stringMatching(/ ShellExec$/),
      expect.stringMatching(/ ShellOutput$/),
      "call-1 SpellResult",
    ])
  })
})

it.effect("casts another invocation each time an effect of castWith runs", () =>
  Effect.gen(function* () {
    const ids = new Set<string>()
    const spells = {
      request: ({ correlationId }: SpellInvocation) => {
        ids.add(correlationId)
        return Stream.succeed(SpellResult.make({ correlationId, result: ids.size }))
      },
    }
    const cast = Spellbook.castWith(spells, "read_file", {})
    expect(yield* Effect.all([cast, cast])).toEqual([1, 2])
    expect(ids.size).toBe(2)
  }))
