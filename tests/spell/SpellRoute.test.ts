import { describe, expect, it } from "@effect/vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { Files, MemoryFileSystem } from "@sluice/shell/files"
import { Git, GitBranch, MockGit } from "@sluice/shell/git"
import { KernelShell } from "@sluice/shell/sandbox"
import { ProcessTable, Spell, Spellbook, type SpellFault, SpellRoute } from "@sluice/shell/spell"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"

const git = MockGit.layer([
  { request: "GitStatus", answer: { _tag: "GitStatusResult", branch: "main", files: [] } },
  { request: "GitBranches", answer: { _tag: "GitBranchList", branches: [], current: "main" } },
])
const leaves = Layer.mergeAll(MemoryFileSystem.layer, KernelShell.layer, ProcessTable.layer, git)

/** Casts a spell that does one thing, with some routes: whether it did it, and what its author finds in the log. */
const tryWith = (
  routes: ReadonlyArray<SpellRoute.SpellRoute>,
  act: Effect.Effect<unknown, unknown, Files | Shell | Git>,
) =>
  Effect.gen(function* () {
    const logged: Array<unknown> = []
    const context = yield* Effect.context<Files | Shell | Git>()
    const spell = {
      ...Spell.make({
        name: "tried",
        description: "Does one thing.",
        parameters: Schema.Struct({}),
        success: Schema.Null,
        cast: () => Effect.succeed(null),
      }),
      // As plain JavaScript does: the types would refuse the spell.
      routes,
      cast: () => Effect.as(Effect.orDie(act), null),
    }
    const book: Spellbook.Spellbook<Files | Shell | Git> = { spells: new Map([["tried", spell]]) }
    const logger = Logger.make(({ message }) => void logged.push(message))
    const fault = yield* Spellbook.cast(book, "tried", {}).pipe(
      Effect.provide(context),
      Effect.provide(Logger.layer([logger])),
      Effect.match({ onFailure: (fault: SpellFault) => fault.faultKind, onSuccess: () => "done" as const }),
    )
    return [
      fault,
      logged.flat().map((part) => Cause.isCause(part) ? Cause.pretty(part) : String(part)).join(" "),
    ] as const
  })

const acts = {
  'FileWrite to the branch "filesystem"': Files.write("a", "x"),
  'FileStat to the branch "filesystem"': Effect.ignore(Files.stat("a")),
  'ShellExec to the branch "compute"': Shell.run(ShellExec.make("true")),
} as const

describe("the routes of a spell", () => {
  it("let it send what they declare", async () => {
    const routes = [SpellRoute.files("FileWrite", "FileStat"), SpellRoute.commands]
    for (const act of Object.values(acts)) {
      const [outcome] = await Effect.runPromise(Effect.provide(tryWith(routes, act), leaves))
      expect(outcome).toBe("done")
    }
  })

  for (const [what, act] of Object.entries(acts)) {
    it(`refuse what they do not declare: ${what}`, async () => {
      for (const routes of [[], [SpellRoute.files("FileRead")]]) {
        const [outcome, log] = await Effect.runPromise(Effect.provide(tryWith(routes, act), leaves))
        expect(outcome).toBe("Broken")
        expect(log).toContain(`it sent ${what}; add `)
      }
    })
  }

  it("hold for any branch with a service of one function", async () => {
    const routes = [SpellRoute.make(Git, GitBranch, "GitStatus")]
    const outcomes = await Effect.runPromise(
      Effect.provide(Effect.all([tryWith(routes, Git.status()), tryWith(routes, Git.branches())]), leaves),
    )
    expect(outcomes.map(([outcome]) => outcome)).toEqual(["done", "Broken"])
    expect(outcomes[1]?.[1]).toContain('it sent GitBranches to the branch "git"; add GitBranches to its routes')
  })

  it("are demanded by the types of a spell that needs the service of a branch", () => {
    const options = { name: "x", description: "", parameters: Schema.Struct({}), success: Schema.Null } as const
    const cast = () => Effect.as(Effect.orDie(Files.write("a", "x")), null)
    // @ts-expect-error no route is declared
    Spell.make({ ...options, cast })
    // @ts-expect-error a route to another branch
    Spell.make({ ...options, routes: [SpellRoute.commands], cast })
    Spell.make({ ...options, routes: [SpellRoute.files("FileWrite")], cast })
    expect([...Spellbook.standard.spells.values()].filter(({ routes }) => routes.length === 0).map(({ name }) => name))
      .toEqual(["read_output", "send_input", "stop_process"])
  })
})
