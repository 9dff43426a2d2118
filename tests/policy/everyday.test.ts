import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../src/policy/Policy.ts"
import { output, serviceOf } from "../http/support.ts"

/** Scripts as people and models write them, with lines of dashes between. */
const scriptsOf = (name: string): ReadonlyArray<string> =>
  readFileSync(new URL(name, import.meta.url), "utf8").trimEnd().split("\n---\n").map((text) => text.trimEnd())

const everyday = [...scriptsOf("everyday.txt"), ...scriptsOf("everyday-agents.txt")]

/** What they call, but for the functions and builtins among it. */
const bounded = [
  ..."ls cat git grep head tail wc sort uniq xargs find sed awk ps df du tr echo printf pwd date mv cp rm mkdir".split(
    " ",
  ),
  ..."touch chmod ln readlink jq sleep seq curl wget test dirname mktemp stat diff comm paste column tee tar gzip"
    .split(" "),
  ..."zip unzip base64 cut bc shuf yes nohup timeout env uname kill rg lsof which file xxd sha256sum type".split(" "),
]
const interpreters = "npm npx node python3 make docker bash eslint".split(" ")

/** Those that are refused although the list has what they call, and what is said of them. */
const refused: Readonly<Record<"bounded" | "unbounded", ReadonlyArray<readonly [part: string, why: string]>>> = {
  unbounded: [["./configure", "./configure is a relative path: name the command, or its absolute path"]],
  bounded: [
    ['until "$@"', "a command's name is only known when it runs"],
    ["trap cleanup EXIT", "cleanup is not among the allowed commands"],
    ['export PATH="$HOME', "the variable PATH may not be set"],
    ["source .env", "the builtin source is not allowed in a script"],
    ["./configure", "./configure is a relative path: name the command, or its absolute path"],
    ["; $cmd", "a command's name is only known when it runs"],
    ["PYTHONPATH=src python3 -m", "the variable PYTHONPATH may not be set"],
    ["PYTHONPATH=src python3 -c", "the variable PYTHONPATH may not be set"],
    [
      "count[$word]",
      "what bash would make of arithmetic over text that is only known when it runs is not known",
    ],
    ["run ls -la", "a command's name is only known when it runs"],
    ["fix/typo", "git is not allowed with arguments that are only known when it runs"],
    ["backup-$(date +%F)", "tar is not allowed with arguments that are only known when it runs"],
    ['export PATH="$PWD', "the variable PATH may not be set"],
  ],
}

for (const kind of ["unbounded", "bounded"] as const) {
  it.effect(`lets the scripts of every day run where a ${kind} list has what they call, but for those that nobody can tell`, () =>
    Effect.gen(function* () {
      const allowedCommands = kind === "bounded" ? bounded : [...bounded, ...interpreters]
      const policy = AccessPolicy.make({ allowedCommands, redirects: "all", shell: "leaf" })
      const shell = yield* AccessPolicy.wrap(policy, serviceOf(({ commandId }) => Stream.make(output(commandId))))
      const found: Array<readonly [string, string]> = []
      for (const script of everyday) {
        const why = yield* shell.exec(ShellExec.shell(script)).pipe(
          Stream.runDrain,
          Effect.as(undefined),
          Effect.catch(({ message }) => Effect.succeed(message)),
        )
        const part = refused[kind].find(([part]) => script.includes(part))?.[0] ?? script
        const isListed = !interpreters.some((name) => why?.startsWith(`exec: ${name} is not among`))
        if (why !== undefined && isListed) found.push([part, why])
      }
      expect(found).toEqual(refused[kind].map(([part, why]) => [part, `exec: ${why} (NOT_ALLOWED)`]))
      expect(everyday.length).toBeGreaterThanOrEqual(239)
    }))
}
