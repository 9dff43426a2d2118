import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Route from "../../src/branch/Route.ts"
import * as RouteGraph from "../../src/branch/RouteGraph.ts"
import { makeServiceBranch, type RequestService, type ServiceBranch } from "../../src/branch/ServiceBranch.ts"

import { AgentRunBranch, ModelBranch, ToolCallBranch, toolRoutes } from "../../src/agent/mod.ts"
import { HttpBranch } from "../../src/fetch/mod.ts"
import { GitBranch } from "../../src/git/mod.ts"
import { FileSystemBranch } from "../../src/leaves/files/mod.ts"
import { ApprovalBranch, SpellcastingBranch } from "../../src/spell/mod.ts"

const id = { correlationId: Schema.String }

/** A branch `NAME` with the entries `NAMEAsk`, `NAMETell`, `NAMESaid` and `NAMEFault`. */
const branchOf = <const Name extends string>(name: Name) => {
  const Ask = Schema.TaggedStruct(`${name}Ask`, { ...id, what: Schema.String })
  const Tell = Schema.TaggedStruct(`${name}Tell`, { ...id, what: Schema.String })
  const Said = Schema.TaggedStruct(`${name}Said`, { ...id, what: Schema.String })
  const Fault = Schema.TaggedStruct(`${name}Fault`, { ...id, why: Schema.String })
  type Request = typeof Ask.Type | typeof Tell.Type
  const branch: ServiceBranch<Request, typeof Said.Type, typeof Fault.Type> = makeServiceBranch({
    name: name.toLowerCase(),
    request: {
      tags: [Ask.fields._tag.schema.literal, Tell.fields._tag.schema.literal],
      schema: Schema.Union([Ask, Tell]),
    },
    event: { tags: [Said.fields._tag.schema.literal], schema: Said },
    fault: { tags: [Fault.fields._tag.schema.literal], schema: Fault },
    makeFault: ({ correlationId }, { what }) => Fault.make({ correlationId, why: what }),
  })
  return { branch, Ask, Tell, Said, Fault }
}

const A = branchOf("A")
const B = branchOf("B")
const C = branchOf("C")

const echo: RequestService<
  typeof C.Ask.Type | typeof C.Tell.Type,
  typeof C.Said.Type,
  typeof C.Fault.Type
> = {
  request: ({ correlationId, what }) =>
    what === "bad"
      ? Stream.fail(C.Fault.make({ correlationId, why: "bad" }))
      : Stream.make(C.Said.make({ correlationId, what }), C.Said.make({ correlationId, what: `${what} again` })),
}

const aToB = [
  Route.request(
    A.branch,
    "AAsk",
    B.branch,
    ({ correlationId, what }) => B.Ask.make({ correlationId: `${correlationId}/1`, what }),
  ),
  Route.request(A.branch, "ATell", B.branch, ({ correlationId, what }) => B.Tell.make({ correlationId, what })),
]
const bToA = [
  Route.answer(B.branch, "BSaid", A.branch, ({ what }, { correlationId }) => A.Said.make({ correlationId, what })),
  // What is a failure below is something to be told above.
  Route.answer(
    B.branch,
    "BFault",
    A.branch,
    ({ why }, { correlationId }) => A.Said.make({ correlationId, what: `failed: ${why}` }),
  ),
]
const bToC = [
  Route.request(
    B.branch,
    "BAsk",
    C.branch,
    ({ correlationId, what }) => C.Ask.make({ correlationId: `${correlationId}/1`, what }),
  ),
  Route.request(B.branch, "BTell", C.branch, ({ correlationId, what }) => C.Tell.make({ correlationId, what })),
]
const cToB = [
  Route.answer(
    C.branch,
    "CSaid",
    B.branch,
    ({ correlationId: from, what }, { correlationId }) => B.Said.make({ correlationId, what: `${what} (${from})` }),
  ),
  Route.answer(C.branch, "CFault", B.branch, ({ why }, { correlationId }) => B.Fault.make({ correlationId, why })),
]
const routes = [...aToB, ...bToA, ...bToC, ...cToB]
const handlers = [Route.handle(C.branch, echo)]

const build = (options: RouteGraph.RouteGraphOptions): Promise<RouteGraph.RouteGraph> =>
  Effect.runPromise(RouteGraph.make(options))
const refusal = async (options: RouteGraph.RouteGraphOptions): Promise<string> => {
  const error = await Effect.runPromise(Effect.flip(RouteGraph.make(options)))
  expect(error._tag).toBe("OptionError")
  return error.message
}

describe("a graph of routes", () => {
  it("leads requests down and answers up, over any number of branches", async () => {
    const service = (await build({ routes, handlers })).service(A.branch)
    const said = await Effect.runPromise(
      Stream.runCollect(service.request(A.Ask.make({ correlationId: "r", what: "hi" }))),
    )
    expect(said.map(({ correlationId, what }) => `${correlationId}: ${what}`)).toEqual([
      "r: hi (r/1/1)",
      "r: hi again (r/1/1)",
    ])
  })

  it("maps a fault as its route says: to a fault or an event", async () => {
    const graph = await build({ routes, handlers })
    const fault = graph.service(B.branch).request(B.Ask.make({ correlationId: "r", what: "bad" }))
    expect(await Effect.runPromise(Effect.flip(Stream.runDrain(fault)))).toEqual(
      B.Fault.make({ correlationId: "r", why: "bad" }),
    )
    const told = graph.service(A.branch).request(A.Ask.make({ correlationId: "r", what: "bad" }))
    expect(await Effect.runPromise(Stream.runCollect(told))).toEqual([
      A.Said.make({ correlationId: "r", what: "failed: bad" }),
    ])
  })

  it("names the line that is missing for a request", async () => {
    expect(await refusal({ routes, handlers: [] })).toBe(
      "routes: CAsk has no handler; add Route.handle(CBranch, service) to the handlers, or " +
        'Route.request(CBranch, "CAsk", …) to the routes',
    )
    expect(await refusal({ routes: routes.filter(({ tag }) => tag !== "ATell"), handlers })).toContain(
      'ATell has no handler; add Route.handle(ABranch, service) to the handlers, or Route.request(ABranch, "ATell", …)',
    )
  })

  it("names the line that is missing for an answer", async () => {
    for (const [tag, from, to] of [["BFault", "B", "A"], ["CSaid", "C", "B"]]) {
      expect(await refusal({ routes: routes.filter((route) => route.tag !== tag), handlers })).toBe(
        `routes: ${tag} has no handler; add Route.answer(${from}Branch, "${tag}", ${to}Branch, (answer, request) => …) ` +
          "to the routes",
      )
    }
  })

  it("refuses two handlers for one entry, and names both", async () => {
    const second = Route.request(
      A.branch,
      "AAsk",
      C.branch,
      ({ correlationId, what }) => C.Ask.make({ correlationId, what }),
    )
    expect(await refusal({ routes: [...routes, second], handlers })).toBe(
      'routes: AAsk has 2 handlers; keep one of: Route.request(ABranch, "AAsk", BBranch, …); ' +
        'Route.request(ABranch, "AAsk", CBranch, …)',
    )
    expect(await refusal({ routes: [...routes, ...bToA.slice(0, 1)], handlers })).toContain("BSaid has 2 handlers")
    expect(await refusal({ routes, handlers: [...handlers, ...handlers] })).toContain("CAsk has 2 handlers")
    const service = { request: () => Stream.empty }
    expect(await refusal({ routes, handlers: [...handlers, Route.handle(A.branch, service)] })).toContain(
      "Route.handle(ABranch, …)",
    )
  })

  it("refuses requests that go round in a circle, and names them", async () => {
    const back = Route.request(
      C.branch,
      "CAsk",
      A.branch,
      ({ correlationId, what }) => A.Ask.make({ correlationId, what }),
    )
    expect(await refusal({ routes: [...routes, back], handlers: [] })).toContain(
      "requests go round in a circle: a -> b -> c -> a; remove one of:",
    )
    const self = Route.request(A.branch, "AAsk", A.branch, (request) => request)
    expect(await refusal({ routes: [self], handlers: [] })).toContain("a -> a")
  })

  it("refuses routes that lead nowhere, and names that are misspelt", async () => {
    expect(await refusal({ routes: [...cToB], handlers })).toContain(
      "is never used; add Route.request(BBranch, …, CBranch, …)",
    )
    const misspelt = aToB.map((route) => ({ ...route, tag: "AAks" }))
    expect(await refusal({ routes: misspelt, handlers })).toContain('did you mean "AAsk"?')
    const graph = await build({ routes: [], handlers })
    expect(() => graph.service(A.branch)).toThrow('the branch "a" is in no route and no handler')
  })

  it("writes the names that the branches have in code", async () => {
    expect(await refusal({ routes: toolRoutes.filter(({ tag }) => tag !== "SpellFault"), handlers: [] })).toContain(
      "Route.handle(SpellcastingBranch, service)",
    )
    const spells = Route.handle(SpellcastingBranch, { request: () => Stream.empty })
    expect(await refusal({ routes: toolRoutes.filter(({ tag }) => tag !== "SpellFault"), handlers: [spells] })).toBe(
      "routes: SpellFault has no handler; " +
        'add Route.answer(SpellcastingBranch, "SpellFault", ToolCallBranch, (answer, request) => …) to the routes',
    )
    const names = {
      FileSystemBranch,
      SpellcastingBranch,
      ToolCallBranch,
      HttpBranch,
      GitBranch,
      ModelBranch,
      ApprovalBranch,
      AgentRunBranch,
    }
    expect(Object.values(names).map(({ constantName }) => constantName)).toEqual(Object.keys(names))
  })

  it("refuses two branches of one name, as of two modules", async () => {
    const other = makeServiceBranch({
      name: "c",
      request: { tags: ["Other"], schema: A.Ask },
      event: { tags: ["OtherSaid"], schema: A.Said },
      fault: { tags: ["OtherFault"], schema: A.Fault },
      makeFault: ({ correlationId }, { what }) => A.Fault.make({ correlationId, why: what }),
    })
    const service = { request: () => Stream.empty }
    expect(await refusal({ routes, handlers: [Route.handle(other, service)] })).toBe(
      'routes: two branches have the name "c": one has CAsk, CTell, CSaid, CFault; ' +
        "the other Other, OtherSaid, OtherFault; give each a name of its own",
    )
  })

  it("checks a deep graph in which many routes lead to one branch", async () => {
    const all = Array.from({ length: 60 }, (_, index) => branchOf(`N${index}`))
    const deep = all.flatMap(({ branch }, index) => {
      const next = all[index + 1]
      if (next === undefined) return []
      const { Ask, branch: to } = next
      const ask = ({ correlationId, what }: { readonly correlationId: string; readonly what: string }) =>
        Ask.make({ correlationId, what })
      const said = ({ correlationId }: { readonly correlationId: string }) =>
        branch.makeFault({ _tag: `N${index}Ask`, correlationId, what: "" }, { kind: "Broken", what: "" })
      return [
        Route.request(branch, `N${index}Ask`, to, ask),
        Route.request(branch, `N${index}Tell`, to, ask),
        Route.answer(to, `N${index + 1}Said`, branch, said),
        Route.answer(to, `N${index + 1}Fault`, branch, said),
      ]
    })
    expect(await refusal({ routes: deep, handlers: [] })).toContain("N59Ask has no handler")
  })

  it("is checked by types as far as they go", () => {
    // @ts-expect-error the branch has no such request
    Route.request(A.branch, "ASaid", B.branch, () => B.Ask.make({ correlationId: "r", what: "" }))
    // @ts-expect-error the branch has no such answer
    Route.answer(B.branch, "BAsk", A.branch, () => A.Said.make({ correlationId: "r", what: "" }))
    // @ts-expect-error a request becomes a request of the other branch
    Route.request(A.branch, "AAsk", B.branch, ({ correlationId, what }) => B.Said.make({ correlationId, what }))
    // @ts-expect-error an answer becomes an answer of the branch whose request it is for
    Route.answer(B.branch, "BSaid", A.branch, ({ correlationId, what }) => C.Said.make({ correlationId, what }))
    // @ts-expect-error the entry has no such field
    Route.answer(B.branch, "BSaid", A.branch, ({ why }, { correlationId }) => A.Said.make({ correlationId, what: why }))
    // @ts-expect-error the service is one of another branch
    Route.handle(A.branch, echo)
    expect(true).toBe(true)
  })
})
