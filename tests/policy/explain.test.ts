/** Explained commands: of every kind, and the same as what a run comes to. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { AccessPolicy, type ExplainedCommand } from "../../src/policy/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import type { ShellService } from "../../src/shell/ShellService.ts"
import { output } from "../http/support.ts"
import { atMost } from "../support/atMost.ts"
import { workshop } from "../support/workshop.ts"
import { allowed, attacks } from "./attacks.ts"
import { bounded, everyday, interpreters } from "./everydayScripts.ts"
import type { Settings } from "./support.ts"

const explained = (settings: Settings, script: string, cwd: string) =>
  AccessPolicy.explain(AccessPolicy.make(settings), ShellExec.shell(script, { cwd })).pipe(
    Effect.provide(LocalShell.layer),
  )

const textOf = ({ command, decision, position }: ExplainedCommand): string => {
  const detail = decision._tag === "Refused" ? `: ${decision.message.replace(/^exec: | \(NOT_ALLOWED\)$/g, "")}` : ""
  return `${position?.line}:${position?.column} ${decision._tag} ${command}${detail}`
}

const cases: ReadonlyArray<readonly [script: string, ...lines: ReadonlyArray<string>]> = [
  [
    "ls -l 'a b'\n  ls | nope x",
    "1:1 Allowed ls -l 'a b'",
    "2:3 Allowed ls",
    "2:8 Refused nope x: nope is not among the allowed commands",
  ],
  ["ls $x *.ts; nope $x", "1:1 Unknown ls $x *.ts", "1:13 Refused nope $x: nope is not among the allowed commands"],
  ["if test -f a; then ls || true; fi", "1:4 Builtin test -f a", "1:20 Allowed ls", "1:26 Builtin true"],
  ["cat <<< $(ls)", "1:1 Allowed cat <<< $(ls)", "1:11 Allowed ls"],
  ["f() { ls; }; f; g; g() { f; }", "1:7 Allowed ls", "1:14 Builtin f", "1:17 Unknown g", "1:26 Unknown f"],
  [
    "env A=1 ls; env A=1 nope; env",
    "1:1 Contained env A=1 ls",
    "1:13 Refused env A=1 nope: nope is not among the allowed commands",
    "1:27 Allowed env",
  ],
  ["find . -exec ls {} +; find .", "1:1 Unknown find . -exec ls {} +", "1:23 Allowed find ."],
  [
    "eval ls; command ls; exec nope",
    "1:1 Unknown eval ls",
    "1:10 Allowed command ls",
    "1:22 Refused exec nope: nope is not among the allowed commands",
  ],
  [
    "HOME=/x ls; A=$(ls) ls",
    "1:1 Refused HOME=/x ls: the variable HOME may not be set",
    "1:13 Unknown A=$(ls) ls",
    "1:17 Allowed ls",
  ],
  [
    "export A=1; ls; export HOME=$x; ls",
    "1:1 Builtin export A=1",
    "1:13 Allowed ls",
    "1:17 Builtin export HOME=$x",
    "1:33 Unknown ls",
  ],
  ["cd sub; ls; cd /; ls", "1:1 Builtin cd sub", "1:9 Allowed ls", "1:13 Builtin cd /", "1:19 Unknown ls"],
  [
    "(cd /; ls); ls; cd; ls",
    "1:2 Builtin cd /",
    "1:8 Unknown ls",
    "1:13 Allowed ls",
    "1:17 Builtin cd",
    "1:21 Unknown ls",
  ],
  ["for i in a; do ls; cd /; done", "1:16 Unknown ls", "1:20 Builtin cd /"],
  [
    "ls > x; cat < sub/y 2>&1",
    "1:1 Allowed ls > x",
    "1:4 Refused > x: a script may not open x: redirections to files are not allowed",
    "1:9 Allowed cat < sub/y 2>&1",
  ],
  ["ls > $x", "1:1 Allowed ls > $x", "1:4 Unknown > $x"],
  ["absent", "1:1 Missing absent"],
]

it.live("decides about each known command of a script, and gives its position", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("sub")
    const settings: Settings = {
      allowedCommands: ["ls", "cat", "env", "find", "absent"],
      allowedCwdRoots: [shop.directory],
    }
    for (const [script, ...lines] of cases) {
      expect((yield* explained(settings, script, shop.directory)).map(textOf)).toEqual(lines)
    }
  }))

it.live("decides about a command with arguments, and fails where a run would fail as a whole", () =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: ["ls"], allowedCwdRoots: ["/usr"] })
    const explain = (exec: ShellExec) => AccessPolicy.explain(policy, exec)
    const tags = yield* Effect.forEach(["ls", "nope"], (program) => explain(ShellExec.make(program, ["a b"])))
    expect(tags.flat().map(({ command, decision, position }) => [command, decision._tag, position])).toEqual([
      ['ls "a b"', "Allowed", undefined],
      ['nope "a b"', "Refused", undefined],
    ])
    const outside = yield* Effect.flip(explain(ShellExec.shell("ls", { cwd: "/" })))
    expect(outside.message).toContain("(NOT_ALLOWED)")
    const syntax = yield* Effect.flip(explain(ShellExec.shell("ls\nif")))
    expect(syntax.message).toBe(
      'exec: the script cannot be read: line 2, column 3: found the end, expected a command after "if" (EINVAL)',
    )
  }).pipe(Effect.provide(LocalShell.layer)))

/** Commands that an endless loop starts before the next one waits. */
const maxCommands = 50

/** A leaf with the files of this machine, whose commands end at once and do nothing. */
const idle = (shell: ShellService): ShellService => {
  const { resolve: _, ...rest } = shell
  let count = 0
  const done = ({ commandId }: ShellExec) => ++count > maxCommands ? Stream.never : Stream.make(output(commandId))
  return { ...rest, exec: done, bytes: done }
}

/** The message of a run's refusal; `undefined` if it is not refused. `isCut`: it went on until the time was up. */
const refusedBy = (shell: ShellService, script: string, cwd: string) =>
  Shell.run(ShellExec.shell(script, { cwd, timeout: "300 millis" })).pipe(
    Effect.provideService(Shell, shell),
    Effect.as({ refused: undefined, isCut: false }),
    Effect.catch(({ message, reason }) =>
      Effect.succeed({ refused: reason._tag === "NotAllowed" ? message : undefined, isCut: reason._tag === "Timeout" })
    ),
  )

const half = bounded.filter((_, index) => index % 2 === 0)
const lists: ReadonlyArray<readonly [settings: Settings, scripts: ReadonlyArray<string>]> = [
  [{ allowedCommands: [...bounded, ...interpreters], redirects: "roots" }, everyday],
  [{ allowedCommands: half }, everyday],
  [{ allowedCommands: allowed }, attacks.map(([, , script]) => script)],
]

/** Scripts in which each command runs: `find -ok` asks first. */
const isStraight = (script: string): boolean =>
  !/\b(?:if|case|while|until|for|select|exit)\b|\|\||&&|\(\)|\{| -ok /.test(script)

it.live("lists everything that a run refuses as refused or unknown", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const wrong: Array<string> = []
    let refusals = 0
    let sure = 0
    for (const [list, scripts] of lists) {
      const policy = AccessPolicy.make({ ...list, allowedCwdRoots: [shop.directory] })
      const leaf = yield* Shell
      // Those that wait do so together.
      yield* atMost(8, scripts, (script) =>
        Effect.gen(function* () {
          const shell = yield* AccessPolicy.guardService(idle(leaf), policy)
          const { isCut, refused } = yield* refusedBy(shell, script, shop.directory)
          const explanation = AccessPolicy.explain(policy, ShellExec.shell(script, { cwd: shop.directory }))
          const found = yield* Effect.result(explanation)
          if (found._tag === "Failure") return
          const decisions = found.success.map(({ decision }) => decision)
          const messages = decisions.flatMap((each) => each._tag === "Refused" ? [each.message] : [])
          const isOpen = decisions.some(({ _tag }) => _tag === "Unknown")
          if (refused !== undefined) refusals++
          if (!isOpen) sure++
          if (refused !== undefined && !isOpen && messages.length === 0) {
            wrong.push(`refused: ${script}: ${refused}`)
          }
          if (refused === undefined && !isCut && messages.length > 0 && isStraight(script)) {
            wrong.push(`runs: ${script}: ${messages.join()}`)
          }
        }))
    }
    expect(wrong).toEqual([])
    expect(refusals).toBeGreaterThan(200)
    expect(sure).toBeGreaterThan(200)
  }).pipe(Effect.provide(LocalShell.layer)), 240_000)
