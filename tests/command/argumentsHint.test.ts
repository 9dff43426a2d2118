/** Tests the hint for a call that has its arguments in the name of its program. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LocalShell, type Shell } from "../../mod.ts"
import { KernelShell } from "../../src/sandbox/mod.ts"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { argumentsHint } from "../../src/command/argumentsHint.ts"
import { ProcessTable, runCommand, Spellbook, startProcess } from "../../src/spell/mod.ts"

const notFound = { _tag: "NotFound", what: "command" } as const

const hint = (command: string, words: ReadonlyArray<string> = []) =>
  argumentsHint(notFound, { command }, { arguments: words })

it("shows the corrected call", () => {
  for (
    const [command, words, corrected] of [
      ["ls -la", [], { command: "ls", arguments: ["-la"] }],
      [" git  log\t-3 ", [], { command: "git", arguments: ["log", "-3"] }],
      ["git log", ["-3"], { command: "git", arguments: ["log", "-3"] }],
      [`grep "two words" 'a $b' --in=x"y z"`, [], { command: "grep", arguments: ["two words", "a $b", "--in=xy z"] }],
      ["git diff HEAD~1 a/b.c", [], { command: "git", arguments: ["diff", "HEAD~1", "a/b.c"] }],
    ] as const
  ) {
    expect(hint(command, words)).toBe(`arguments go into "arguments": ${JSON.stringify(corrected)}`)
  }
})

it("shows none where a shell would have read more than words", () => {
  const scripts = [
    "ls *.ts",
    "ls | wc -l",
    "echo $HOME x",
    "cd a && ls",
    `echo "$HOME" x`,
    "A=1 ls -l",
    "cat ~/a",
    "a 'b",
  ]
  for (const command of [...scripts, "ls a\nls b", `echo ${"x".repeat(1_000)}`]) {
    expect(hint(command)).toBe(`"command" is one program; arguments go into "arguments", and no shell reads them`)
  }
})

it("says nothing of other failures, and of names without blanks", () => {
  expect([hint("ls"), hint(" ls "), hint("ls", ["-la"])]).toEqual([undefined, undefined, undefined])
  const others = [
    { _tag: "NotFound", what: "workingDirectory" },
    { _tag: "NotAllowed", policy: "allowedCwdRoots" },
    { _tag: "Timeout" },
  ] as const
  for (const reason of others) expect(argumentsHint(reason, { command: "ls -la" }, { arguments: [] })).toBe(undefined)
})

const allowed = AccessPolicy.guard(AccessPolicy.make({ allowedCommands: ["ls"] }))(LocalShell.layer)

const shells: ReadonlyArray<readonly [string, Layer.Layer<Shell, unknown>]> = [
  ["local", LocalShell.layer],
  ["kernel", KernelShell.layer],
  ["policy", allowed],
]

for (const [place, shell] of shells) {
  it.live(`run_command and start_process say it (${place})`, () =>
    Effect.gen(function* () {
      const book = Spellbook.make(runCommand, startProcess)
      for (const name of ["run_command", "start_process"] as const) {
        const fault = yield* Effect.flip(Spellbook.cast(book, name, { command: "ls -la" }))
        expect(fault.message).toMatch(/; arguments go into "arguments": {"command":"ls","arguments":\["-la"\]}$/)
        expect(fault.failure).toMatchObject({ reason: { _tag: place === "policy" ? "NotAllowed" : "NotFound" } })
      }
    }).pipe(Effect.provide(Layer.merge(shell, ProcessTable.layer))))
}
