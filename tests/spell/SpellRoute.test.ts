import { describe, expect, it } from "@effect/vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { makeServiceBranch, requestOne, type RequestService } from "@sluice/shell/branch"
import { Files, MemoryFileSystem } from "@sluice/shell/files"
import { Git, GitBranch, MockGit } from "@sluice/shell/git"
import { KernelShell } from "@sluice/shell/sandbox"
import { ProcessTable, Spell, Spellbook, type SpellFault, SpellRoute } from "@sluice/shell/spell"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Id = { correlationId: Schema.String }
const Roll = Schema.TaggedStruct("Roll", Id)
const Rolled = Schema.TaggedStruct("Rolled", { ...Id, value: Schema.Int })
const RollFault = Schema.TaggedStruct("RollFault", { ...Id, message: Schema.String })
const DiceBranch = makeServiceBranch<typeof Roll.Type, typeof Rolled.Type, typeof RollFault.Type>({
  name: "dice",
  request: { tags: ["Roll"], schema: Roll },
  event: { tags: ["Rolled"], schema: Rolled },
  fault: { tags: ["RollFault"], schema: RollFault },
  makeFault: ({ correlationId }, { what }) => RollFault.make({ correlationId, message: what }),
})
type DiceService = RequestService<typeof Roll.Type, typeof Rolled.Type, typeof RollFault.Type>
/** A branch of one's own. */
class Dice extends Context.Service<Dice, DiceService>()("app/Dice") {}

/** A service of no branch, which has a function of that name, and a state that only it may read. */
class Caller {
  readonly #calls: Array<string> = []
  request(url: string): number {
    return this.#calls.push(url)
  }
  count(): number {
    return this.#calls.length
  }
}
class Api extends Context.Service<Api, Caller>()("app/Api") {}

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
  it("permit the declared requests", async () => {
    const routes = [SpellRoute.files("FileWrite", "FileStat"), SpellRoute.commands]
    for (const act of Object.values(acts)) {
      const [outcome] = await Effect.runPromise(Effect.provide(tryWith(routes, act), leaves))
      expect(outcome).toBe("done")
    }
  })

  for (const [what, act] of Object.entries(acts)) {
    it(`refuse undeclared requests: ${what}`, async () => {
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
  describe("of a branch of one's own", () => {
    const roll = Effect.map(
      Effect.flatMap(Dice, (dice) => requestOne(dice, Roll.make({ correlationId: "mine" }))),
      ({ correlationId }) => correlationId,
    )
    const options = { name: "roll", description: "", parameters: Schema.Struct({}), success: Schema.String } as const
    const cast = () => Effect.orDie(roll)
    const routed = Spell.make({ ...options, routes: [SpellRoute.make(Dice, DiceBranch, "Roll")], cast })
    // @ts-expect-error no route is declared
    const unrouted: Spell.Spell<"roll", Dice> = Spell.make({ ...options, cast })
    // @ts-expect-error a route to another branch
    Spell.make({ ...options, routes: [SpellRoute.commands], cast })

    const leaves: ReadonlyArray<readonly [string, DiceService]> = [
      ["an object", { request: ({ correlationId }) => Stream.succeed(Rolled.make({ correlationId, value: 1 })) }],
      [
        "a frozen object",
        Object.freeze<DiceService>({
          request: ({ correlationId }) => Stream.succeed(Rolled.make({ correlationId, value: 1 })),
        }),
      ],
      [
        "an object of a class",
        new (class implements DiceService {
          request({ correlationId }: typeof Roll.Type) {
            return Stream.succeed(Rolled.make({ correlationId, value: 1 }))
          }
        })(),
      ],
    ]
    for (const [what, leaf] of leaves) {
      it(`are demanded, where its service is ${what}`, async () => {
        const logged: Array<unknown> = []
        const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
        const castOf = (spell: Spell.Spell<"roll", Dice>) =>
          Spellbook.cast(Spellbook.make(spell), "roll", {}).pipe(
            Effect.provideService(Dice, leaf),
            Effect.provide(logger),
          )
        expect(await Effect.runPromise(castOf(routed))).toMatch(/\/1$/)
        const fault = await Effect.runPromise(Effect.flip(castOf(unrouted)))
        expect(fault).toMatchObject({ _tag: "SpellFault", faultKind: "Broken" })
        expect(logged.flat().map((part) => Cause.isCause(part) ? Cause.pretty(part) : String(part)).join(" "))
          .toContain(
            'it sent Roll to the service "app/Dice", to which it has no route; ' +
              'add SpellRoute.make(…, …, "Roll") with this service and its branch to its routes',
          )
      })
    }

    it("are not demanded of another service with a function of that name", async () => {
      const call = Spell.make({
        ...options,
        success: Schema.Int,
        cast: () => Effect.map(Api, (api) => api.request("a") + api.request("b") + api.count()),
      })
      const result = Spellbook.cast(Spellbook.make(call), "roll", {}).pipe(Effect.provideService(Api, new Caller()))
      expect(await Effect.runPromise(result)).toBe(5)
    })
  })
})
