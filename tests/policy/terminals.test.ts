import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { ShellExec } from "../../src/command/ShellExec.ts"
import type { ShellFault } from "../../src/command/ShellFault.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import type { ShellService } from "../../src/shell/ShellService.ts"
import { echoTerminals } from "../support/echoTerminal.ts"

const terminal = { cols: 80, rows: 24 }

const exec = ShellExec.make("git", ["log"])

const exit = Stream.make(new TextEncoder().encode("exit 3\r"))

const run = (shell: ShellService) =>
  Effect.runPromise(
    shell.exec(exec, { terminal, stdin: exit }).pipe(
      Stream.runFold(() => -1, (code, event) => event._tag === "ShellOutput" ? event.exitCode : code),
      Effect.catch((fault) => Effect.succeed(fault)),
    ),
  )

const refused = (result: ShellFault | number): boolean =>
  typeof result === "object" && result.reason._tag === "NotAllowed" && result.reason.policy === "terminal" &&
  result.message.includes("a list of allowed commands cannot check typed commands")

describe("a terminal under a policy", () => {
  it.each<[string, ConstructorParameters<typeof AccessPolicy>[0]]>([
    ["a list", { allowedCommands: ["git"] }],
    ["a list with an interpreter", { allowedCommands: ["git", "bash"] }],
    ["all commands, some with rules for their arguments", {
      allowedCommands: ["*"],
      argumentRules: { rm: Schema.Tuple([Schema.String]) },
    }],
    ["all commands, and no code for interpreters", { allowedCommands: ["*"], code: "refuse" }],
  ])("is refused where it would bypass the policy: %s", async (_, settings) => {
    const { opened, shell } = echoTerminals()
    const guarded = await Effect.runPromise(AccessPolicy.guardService(shell, AccessPolicy.make(settings)))
    expect(refused(await run(guarded))).toBe(true)
    const bytes = guarded.bytes(exec, { terminal, stdin: exit }).pipe(Stream.runDrain, Effect.flip)
    expect(refused(await Effect.runPromise(bytes))).toBe(true)
    expect(guarded.capabilities.pty).toBe(false)
    expect(opened).toEqual([])
  })

  it("is allowed if every command may run or isolation bounds them", async () => {
    const { shell } = echoTerminals()
    const wrap = (allowed: string, isolated: boolean) =>
      Effect.runPromise(
        AccessPolicy.guardService(
          { ...shell, capabilities: { ...shell.capabilities, isolated } },
          AccessPolicy.make({ allowedCommands: [allowed] }),
        ),
      )
    for (
      const guarded of [await wrap("*", false), await wrap("git", true)]
    ) {
      expect(guarded.capabilities.pty).toBe(true)
      expect(await run(guarded)).toBe(3)
    }
  })
})
