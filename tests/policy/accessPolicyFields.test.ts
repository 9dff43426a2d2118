import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { AccessPolicyError } from "../../src/policy/AccessPolicyError.ts"
import { MockShell } from "../../src/leaves/mock/MockShell.ts"
import { Shell } from "../../src/shell/Shell.ts"

const misspelt: ReadonlyArray<readonly [input: object, field: string, name: string]> = [
  [{ allowedCommands: ["ls"], alowedCwdRoots: ["/tmp"] }, "alowedCwdRoots", "allowedCwdRoots"],
  [{ allowedCommands: ["ls"], environment: { alow: ["A"] } }, "environment", "allow"],
]

const thrownBy = (make: () => unknown): unknown => {
  try {
    return make()
  } catch (error) {
    return error
  }
}

it("refuses a misspelt setting however a policy is made", () => {
  for (const [input, field, meant] of misspelt) {
    const settings = input as { readonly allowedCommands: ReadonlyArray<string> }
    for (const made of [() => new AccessPolicy(settings), () => AccessPolicy.make(settings)]) {
      const error = thrownBy(made)
      expect(error).toBeInstanceOf(AccessPolicyError)
      expect(error).toMatchObject({ _tag: "AccessPolicyError", field })
    }
    const decoded = Schema.decodeUnknownResult(AccessPolicy)(input)
    expect(Result.isFailure(decoded) && decoded.failure.message).toContain(`did you mean "${meant}"?`)
  }
})

it("guesses no setting for a name that is like none", () => {
  const decoded = Schema.decodeUnknownResult(AccessPolicy)({ allowedCommands: ["ls"], sandbox: true })
  expect(Result.isFailure(decoded) && decoded.failure.message).toContain(`no setting "sandbox"`)
  expect(Result.isFailure(decoded) && decoded.failure.message).not.toContain("did you mean")
})

it("refuses a plain object with a misspelt setting in place of a policy", async () => {
  const shell = await Effect.runPromise(Effect.provide(Shell, MockShell.layer([])))
  const policy = { allowedCommands: ["ls"], alowedCwdRoots: ["/tmp"] } as unknown as AccessPolicy
  const wrapped = await Effect.runPromise(Effect.flip(AccessPolicy.guardService(shell, policy)))
  expect(wrapped).toMatchObject({ _tag: "AccessPolicyError", field: "alowedCwdRoots" })
})

it("decodes and encodes every setting of a policy without a change", () => {
  const encoded = {
    allowedCommands: ["ls", "*"],
    allowedCwdRoots: ["/tmp"],
    defaultCwd: "/tmp",
    environment: { allow: ["A"], deny: ["B*"], inherit: ["PATH"] },
    redirects: "roots",
    code: "refuse",
    defaultTimeout: 1_000,
    maxTimeout: 2_000,
    maxOutputBytes: 10,
    searchPath: "/usr/bin",
    readable: ["/usr/share"],
    utilities: "contained",
  } as const
  const policy = Schema.decodeUnknownSync(AccessPolicy)(encoded)
  expect(policy).toBeInstanceOf(AccessPolicy)
  expect(Schema.encodeSync(AccessPolicy)(policy)).toEqual(encoded)
})

it("refuses a value that is not an object", () => {
  for (const input of [3, null, "ls", ["ls"]]) {
    expect(Result.isFailure(Schema.decodeUnknownResult(AccessPolicy)(input))).toBe(true)
  }
})
