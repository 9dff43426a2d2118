import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../../src/shell/AccessPolicy.ts"
import { output, serviceOf } from "../../http/support.ts"

/** Scripts as people and models write them, with lines of dashes between. */
const scripts = readFileSync(new URL("everyday.txt", import.meta.url), "utf8").split("\n---\n").map((text) =>
  text.trimEnd()
)

/** What they call, but for the functions and builtins among it. */
const listed = [
  ..."ls cat git grep head tail wc sort uniq xargs find sed awk ps df du tr echo printf pwd date mv cp rm mkdir".split(
    " ",
  ),
  ..."touch chmod ln readlink jq sleep seq curl wget test dirname mktemp stat diff comm paste column tee tar gzip"
    .split(
      " ",
    ),
  ..."zip unzip npm node python3 make docker base64 cut bc shuf yes nohup timeout env uname kill".split(" "),
]

/** Those that cannot be told: the part of the script that is the reason, and what is said of it. */
const refused: ReadonlyArray<readonly [part: string, why: string]> = [
  ["| xargs sed -i", "sed is not allowed with arguments that are only known when it runs"],
  ["do sed -i 's/a/b/' \"$f\"", "sed is not allowed with arguments that are only known when it runs"],
  ['until "$@"', "a command's name is only known when it runs"],
  ['> "$tmp"', "the file of > is only known when it runs"],
  ["trap cleanup EXIT", "cleanup is not among the allowed commands"],
  ["declare -A", 'what bash would make of arithmetic over "bob", which may hold anything is not known'],
  ["size / 1024", 'what bash would make of arithmetic over "size", which may hold anything is not known'],
  ["end - start", 'what bash would make of arithmetic over "end", which may hold anything is not known'],
  ['sort "$HOME/list.txt"', "sort is not allowed with arguments that are only known when it runs"],
  ["xargs -n 1 curl -sO", "curl is not allowed with arguments that are only known when it runs"],
  ["export PATH", "the variable PATH may not be set"],
  ["source .env", "the builtin source is not allowed in a script"],
  ["./configure", "./configure is a relative path: name the command, or its absolute path"],
  ["; $cmd", "a command's name is only known when it runs"],
]

it.effect("lets the scripts of every day run where the list has what they call, but for those that nobody can tell", () =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: listed, redirects: "all", shell: "leaf" })
    const shell = yield* AccessPolicy.wrap(policy, serviceOf(({ commandId }) => Stream.make(output(commandId))))
    const found: Array<readonly [string, string]> = []
    for (const script of scripts) {
      const why = yield* shell.exec(ShellExec.shell(script)).pipe(
        Stream.runDrain,
        Effect.as(undefined),
        Effect.catch(({ message }) => Effect.succeed(message)),
      )
      const part = refused.find(([part]) => script.includes(part))?.[0] ?? script
      if (why !== undefined) found.push([part, why])
    }
    expect(found).toEqual(refused.map(([part, why]) => [part, `exec: ${why} (NOT_ALLOWED)`]))
    expect(scripts.length - found.length).toBe(125)
  }))
