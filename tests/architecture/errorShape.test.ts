/** Errors have a tagged `reason`, faults of a branch a `faultKind`; neither is told apart by a `code`, a `kind` or a text alone. */
import { expect, it } from "vitest"
import type { Subpaths } from "./subpaths.ts"

type ErrorName = `${string}${"Error" | "Failure" | "Fault" | "Refusal"}`

/** Type that a Schema decodes (it also has a `new`, to be extended), or that a class makes. */
type Instance<V> = V extends { readonly Type: infer T } ? T
  : V extends abstract new (...args: never) => infer E ? E
  : never

/** Shape of an error: `one` if there is only one, `wrong` if the rule is broken. */
type Shape<E> = E extends { readonly reason: { readonly _tag: string } } | { readonly faultKind: string } ? "kinds"
  : Extract<keyof E, "reason" | "faultKind" | "kind" | "code"> extends never ? "one"
  : "wrong"

type Named<M, S> = { [N in keyof M & ErrorName]: S extends Shape<Instance<M[N]>> ? N : never }[keyof M & ErrorName]

/** Errors of a shape that a subpath exports, by itself or in a namespace. */
type Of<M, S> = Named<M, S> | { [N in Exclude<keyof M, ErrorName>]: Named<M[N], S> }[Exclude<keyof M, ErrorName>]
type All<S> = { [P in keyof Subpaths]: Of<Subpaths[P], S> }[keyof Subpaths]

/** TypeScript refuses this table while an error breaks the rule, and names it. */
const wrong: Record<All<"wrong">, never> = {}

/** Errors of one kind. TypeScript refuses this table where a name is missing, or is here without need. */
const one: Record<All<"one">, string> = {
  AccessPolicyError: "the policy is invalid at `field`",
  IsolationError: "no engine works",
  LookupError: "the id is not unique",
  MockScriptError: "the script was not used up",
  OptionError: "`option` is invalid",
  RequestOpenError: "the id is taken",
  ShellExitError: "the exit code says more",
}

it("checks the errors of every subpath: TypeScript does", () => {
  expect(Object.keys(wrong)).toEqual([])
  expect(Object.keys(one).length).toBeLessThan(12)
  // Proof that it would find one.
  const shapes: readonly [Shape<{ code: string }>, Shape<{ reason: "Full" }>] = ["wrong", "wrong"]
  expect(shapes).toEqual(["wrong", "wrong"])
})
