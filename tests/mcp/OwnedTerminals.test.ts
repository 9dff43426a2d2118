import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Shell, ShellExec } from "@sluice/shell"
import { Terminals } from "@sluice/shell/terminal"
import { TokenGrant } from "../../src/auth/TokenGrant.ts"
import { CurrentCaller } from "../../src/mcp/McpCaller.ts"
import { OwnedTerminals } from "../../src/mcp/OwnedTerminals.ts"
import { echoTerminals } from "../support/echoTerminal.ts"

const grant = new TokenGrant({ name: "ada" })

/** Runs something as a request of a session. */
const as = (session: string) =>
  Effect.provideService(CurrentCaller, { grant, session, isRateCounted: true, isClosing: () => false })

it.live("leaves a terminal to its session when another asks for its id", () =>
  Effect.gen(function* () {
    const owned = new OwnedTerminals(yield* Terminals)
    const exec = ShellExec.make("sh", [], { commandId: "t1" })
    yield* as("one")(owned.open(exec, {}))
    const refused = yield* Effect.flip(as("two")(owned.open(exec, {})))
    expect(refused.reason).toEqual({ _tag: "InvalidArgument", argument: "commandId" })
    expect((yield* as("one")(owned.get("t1"))).id).toBe("t1")
    yield* as("one")(owned.close("t1"))
  }).pipe(Effect.scoped, Effect.provide(Layer.provide(Terminals.layer, Layer.succeed(Shell, echoTerminals().shell)))))
